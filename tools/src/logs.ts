import { appendFileSync, closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, renameSync } from 'node:fs'
import { join } from 'node:path'

export type LogFile = {
  path: string
  /** Adds text to the log. On a full disk the text is lost, and the platform goes on. */
  append: (text: string) => void
  /** Gives the last lines, which tell the operator why a process ended. */
  lastLines: (count: number) => string[]
}

/** Opens the log of one process, `<data>/logs/<name>.log`. The log of the previous run is renamed to `<name>.previous.log`. */
export function beginLog(dataDir: string, name: string): LogFile {
  const directory = join(dataDir, 'logs')
  mkdirSync(directory, { recursive: true })
  const path = join(directory, `${name}.log`)
  if (existsSync(path)) renameSync(path, join(directory, `${name}.previous.log`))
  return {
    path,
    append(text) {
      try {
        appendFileSync(path, text)
      } catch {
        // The log itself cannot be written, so the error cannot be reported.
      }
    },
    lastLines: (count) => readEnd(path).trimEnd().split('\n').slice(-count),
  }
}

function readEnd(path: string): string {
  if (!existsSync(path)) return ''
  const file = openSync(path, 'r')
  try {
    const size = fstatSync(file).size
    const buffer = Buffer.alloc(Math.min(size, 8_192))
    readSync(file, buffer, 0, buffer.length, size - buffer.length)
    return buffer.toString('utf8')
  } finally {
    closeSync(file)
  }
}
