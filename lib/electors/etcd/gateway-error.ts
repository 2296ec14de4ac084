/** What etcd answered instead of what it was asked for. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';

  constructor(
    message: string,
    /** Of HTTP; 0 within a stream. */
    readonly status: number,
    /** Of gRPC, if it says so. */
    readonly code?: number,
  ) {
    super(message);
  }
}

/** From the body of an answer, or from a message of a stream. */
export function gatewayError(body: unknown, status: number): GatewayError {
  const fields = isObject(body) ? body : {};
  // In a stream it is one level further down.
  const error = isObject(fields['error']) ? fields['error'] : fields;
  const code = error['code'] ?? error['grpc_code'];
  const text = error['message'] ?? error['error'];
  const message = typeof text === 'string' && text !== '' ? text : `HTTP status ${status}`;
  return typeof code === 'number' ? new GatewayError(message, status, code) : new GatewayError(message, status);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
