import type { ServerResponse } from 'node:http'
import type { Log } from '@herald/service/log'
import type { Portions } from '../core/portion.ts'
import { lineOf } from './request-line.ts'

/**
 * An answer of lines (NDJSON) that is made while it is read. `start` is asked once; it may throw a Fault, and so may the first portion. What it answers is read
 * to its end or returned, so that it can let go of what it holds.
 */
export class LineStream {
  readonly start: () => Promise<Portions>

  constructor(start: () => Promise<Portions>) {
    this.start = start
  }
}

export const ndjson = 'application/x-ndjson'

/** A caller that takes nothing for so long is cut off: it holds a place that others wait for. */
const takenWithin = 30_000

/**
 * Writes a stream. The next portion is asked for when the caller has taken the one before, so that an answer of any length costs the memory of a portion. What fails
 * on the way cuts the answer off: its last line is missing.
 */
export async function respondLines(
  response: ServerResponse,
  stream: LineStream,
  { headOnly, log, takenWithinMs = takenWithin }: { headOnly: boolean; log: Log; takenWithinMs?: number },
): Promise<void> {
  const head = { 'content-type': `${ndjson}; charset=utf-8`, 'x-accel-buffering': 'no' }
  if (headOnly) return void response.writeHead(200, head).end()
  const portions = await stream.start()
  try {
    for await (const { text } of portions) {
      if (response.destroyed) return
      if (!response.headersSent) response.writeHead(200, head)
      if (!response.write(text) && !(await drained(response, takenWithinMs))) return
    }
    response.end()
  } catch (error) {
    // Nothing was said yet, so it can be said why.
    if (!response.headersSent) throw error
    log.warn({ ...lineOf(response), err: error }, 'an answer was cut off')
    response.destroy()
  }
}

/** Waits until the caller has taken what was written. False: they are gone, or took nothing in time and were cut off. */
function drained(response: ServerResponse, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isDrained: boolean) => {
      clearTimeout(timer)
      response.off('drain', onDrain).off('close', onClose)
      if (!isDrained) response.destroy()
      resolve(isDrained)
    }
    const onDrain = () => end(true)
    const onClose = () => end(false)
    const timer = setTimeout(onClose, withinMs).unref()
    response.once('drain', onDrain).once('close', onClose)
  })
}
