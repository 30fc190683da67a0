import { Duplex } from 'node:stream'
import { splitFrames, type OnFrame } from '../frames.ts'
import type { Frame } from './peers.ts'

/** A socket whose other end is the test. Bytes travel within one turn of the event loop, so thousands of exchanges take only a second. */
export class MemorySocket extends Duplex {
  written: Buffer[] = []
  private isReading = true
  private unread: (() => void) | undefined

  /** From now on the other end reads only when the returned function is called: everything that was written until then. */
  stopReading(): () => void {
    this.isReading = false
    return () => {
      const done = this.unread
      this.unread = undefined
      done?.()
    }
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    // Copies the bytes as they are now, since a real socket would have sent them.
    this.written.push(Buffer.from(chunk))
    this.ended(done)
  }

  /** Notes several chunks as one write, as a real socket sends them. */
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.written.push(Buffer.concat(chunks.map(({ chunk }) => chunk)))
    this.ended(done)
  }

  private ended(done: () => void): void {
    if (this.isReading) done()
    else this.unread = done
  }

  arrive(bytes: Buffer): void {
    this.emit('data', bytes)
  }
}

export function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = []
  const take: OnFrame = (type, flags, streamId, buffer, start, end) =>
    frames.push({ type, flags, streamId, payload: Buffer.from(buffer.subarray(start, end)) })
  splitFrames(take)(bytes)
  return frames
}
