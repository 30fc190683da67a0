import { Duplex } from 'node:stream'
import { splitFrames, type OnFrame } from '../frames.ts'
import type { Frame } from './peers.ts'

/** The socket of a connection whose other end is the test: bytes are given to it and taken from it in the same turn, so that thousands of exchanges take a second. */
export class MemorySocket extends Duplex {
  /** Everything written to it. */
  written: Buffer[] = []

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    // A copy, because a connection may use its buffers again once they are written.
    this.written.push(Buffer.from(chunk))
    done()
  }

  /** What was corked is one write, as it is to a socket. */
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.written.push(Buffer.concat(chunks.map(({ chunk }) => chunk)))
    done()
  }

  /** Bytes arrive from the other side. */
  arrive(bytes: Buffer): void {
    this.emit('data', bytes)
  }
}

/** The frames in a byte string. */
export function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = []
  const take: OnFrame = (type, flags, streamId, buffer, start, end) =>
    frames.push({ type, flags, streamId, payload: Buffer.from(buffer.subarray(start, end)) })
  splitFrames(take)(bytes)
  return frames
}
