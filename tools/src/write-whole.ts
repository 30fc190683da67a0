import { renameSync, writeFileSync } from 'node:fs'

/** Writes a file so that after a crash or on a full disk it has either the old content or the new, never a part of the new. */
export function writeWhole(file: string, content: string, mode = 0o600): void {
  writeFileSync(`${file}.new`, content, { mode })
  renameSync(`${file}.new`, file)
}
