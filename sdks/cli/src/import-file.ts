import { closeSync, createReadStream, createWriteStream, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { UsageError } from './usage-error.ts'

/** Herald takes files of at most this many bytes. */
const mostBytes = 4 * 1024 ** 3

export type ImportedFile = {
  /** The file that the operator named. */
  given: string
  /** The file with the rows: the given one, or a temporary copy of a compressed one. */
  file: string
  /** The given path without the ending `.gz`; its ending tells the format, and files about rejected rows are written beside it. */
  name: string
  /** Removes the temporary copy. */
  close: () => void
}

/** Opens the file that the operator named, and decompresses it when it is compressed with gzip. */
export async function openImported(named: string, stop: AbortSignal): Promise<ImportedFile> {
  const given = resolve(named)
  if (!existsSync(given)) throw new UsageError(`There is no file ${named}.`)
  if (!isCompressed(given)) return { given, file: given, name: given, close: () => undefined }
  const directory = mkdtempSync(join(tmpdir(), 'herald-gunzip-'))
  const close = () => rmSync(directory, { recursive: true, force: true })
  const file = join(directory, 'rows')
  try {
    await pipeline(createReadStream(given), createGunzip(), bounded(), createWriteStream(file, { mode: 0o600 }), { signal: stop })
  } catch (error) {
    close()
    throw new Error(`${named} cannot be decompressed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
  return { given, file, name: given.replace(/\.gz$/i, ''), close }
}

function isCompressed(file: string): boolean {
  const descriptor = openSync(file, 'r')
  try {
    const magic = Buffer.alloc(2)
    return readSync(descriptor, magic, 0, 2, 0) === 2 && magic[0] === 0x1f && magic[1] === 0x8b
  } finally {
    closeSync(descriptor)
  }
}

/** Ends a stream with an error when more bytes pass than Herald takes, so that a small file cannot fill the disk. */
function bounded(): Transform {
  let bytes = 0
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      bytes += part.length
      done(bytes > mostBytes ? new Error('it holds more than 4 GiB, which Herald does not take') : null, part)
    },
  })
}
