import { UsageError } from './doctor-arguments.js';
import { DOCTOR_USAGE, doctorCommand } from './doctor-command.js';

/** Where a program prints. */
export interface ProgramOutput {
  print(text: string): void;
  printError(text: string): void;
}

const USAGE = `Usage: ${DOCTOR_USAGE}`;

/** Runs the program. @returns its exit code. Never rejects for what it was given */
export async function run([command, ...argv]: readonly string[], output: ProgramOutput): Promise<number> {
  if (command === undefined || command === 'help' || [command, ...argv].includes('--help')) {
    output.print(USAGE);
    return command === undefined ? 2 : 0;
  }
  try {
    if (command !== 'doctor') throw new UsageError(`There is no command ${command}.`);
    return await doctorCommand(argv, output);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.printError(`${error.message}\n\n${USAGE}`);
    return 2;
  }
}
