import { userInfo } from 'node:os';

/** Who this process runs as: the user id, or on Windows the name, safe as a part of a path. */
export function currentUser(): string {
  const id = process.geteuid?.();
  return id === undefined ? encodeURIComponent(userInfo().username) : String(id);
}
