import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.ts'

/**
 * What a release was made of. `commit`: the sources, before their version was set. `contracts`: a hash of libs/contracts/src. `documents` and
 * `migrations`: hashes by file.
 */
export type Release = {
  version: string
  commit: string
  contracts: string
  documents: Record<string, string>
  migrations: Record<string, string>
}

export const releasesFile = 'docs/releases.json'

/** Gives the SHA-256 of the names and contents of files of the repository, in the order of their names. */
export function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files.toSorted())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}
