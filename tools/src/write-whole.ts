import { renameSync, writeFileSync } from 'node:fs'

/** Writes a file so that a crash or a full disk leaves the old content or the new, never a part of it. */
export function writeWhole(file: string, content: string, mode = 0o600): void {
  writeFileSync(`${file}.new`, content, { mode })
  renameSync(`${file}.new`, file)
}
