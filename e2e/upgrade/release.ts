import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { releasesFile, type Release } from '@herald/tools/releases'
import { root } from '@herald/tools/workspace'

/** Gives the newest release that docs/releases.json names. */
export function lastRelease(): Release {
  const release = (JSON.parse(readFileSync(join(root, releasesFile), 'utf8')) as Release[]).at(-1)
  if (!release) throw new Error(`${releasesFile} names no release`)
  return release
}

/**
 * Lays a release out in a directory, by default one in the temporary directory that stays for the next time, and installs its own packages there. Its
 * commit must be in this clone.
 */
export function layOut({ version, commit }: Release, directory = join(tmpdir(), `herald-${version}-${commit.slice(0, 8)}`)): string {
  if (!existsSync(join(directory, 'package.json'))) {
    mkdirSync(directory, { recursive: true })
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1_000_000_000 })
    execFileSync('tar', ['-x', '-C', directory], { input: archive })
  }
  execFileSync(process.execPath, ['tools/bootstrap.mjs', 'node', '-e', ''], { cwd: directory, stdio: 'inherit' })
  return directory
}
