import { connect } from 'node:net';
import { once } from 'node:events';

const HEADER_END = Buffer.from('\r\n\r\n');

/**
 * One keep-alive connection that asks for one path again and again. Reads no more of a response than where it ends:
 * Node's own client costs as much as the server under test, so that one would measure the other.
 */
export class HttpConnection {
  #socket;
  #request;
  #received = [];
  #bytes = 0;
  #expected = Number.POSITIVE_INFINITY;
  #status = 0;
  #done = () => undefined;
  #failed = () => undefined;

  static async open(port, path) {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    return new HttpConnection(socket, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\n\r\n`);
  }

  constructor(socket, request) {
    this.#socket = socket;
    this.#request = request;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#failed(error));
    socket.on('close', () => this.#failed(new Error('The server closed the connection')));
  }

  /** @returns status and size in bytes, once the whole response is there */
  get() {
    if (this.#socket.destroyed) return Promise.reject(new Error('The server has closed the connection'));
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#socket.write(this.#request);
    });
  }

  close() {
    this.#failed = () => undefined;
    this.#socket.destroy();
  }

  #take(chunk) {
    this.#bytes += chunk.length;
    if (this.#expected === Number.POSITIVE_INFINITY) this.#readHeader(chunk);
    if (this.#bytes < this.#expected) return;
    const response = { status: this.#status, bytes: this.#bytes };
    this.#received = [];
    this.#bytes = 0;
    this.#expected = Number.POSITIVE_INFINITY;
    this.#done(response);
  }

  #readHeader(chunk) {
    this.#received.push(chunk);
    const received = Buffer.concat(this.#received);
    const end = received.indexOf(HEADER_END);
    if (end < 0) return;
    const header = received.toString('latin1', 0, end);
    this.#status = Number(header.slice(9, 12));
    const length = /^content-length: (\d+)/im.exec(header)?.[1];
    if (length === undefined) throw new Error(`A response without Content-Length:\n${header}`);
    this.#expected = end + HEADER_END.length + Number(length);
  }
}
