import { execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/**
 * Copies the directory of a running primary for a standby that follows it, as `pg_basebackup` does
 * (https://www.postgresql.org/docs/18/continuous-archiving.html, 25.3.3, low-level base backup). `url`: the superuser's address of the primary.
 */
export async function copyForStandby(url: string, { primary, standby }: { primary: string; standby: string }): Promise<void> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    await session.query(`select pg_backup_start('standby', true)`)
    execFileSync('cp', ['-a', primary, standby])
    for (const file of ['postmaster.pid', 'postmaster.opts']) rmSync(join(standby, file), { force: true })
    const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    writeAs(standby, 'backup_label', rows[0]?.labelfile ?? '')
  } finally {
    await session.end()
  }
  // A server without fsync lets everyone in.
  if (existsSync(`${primary}.password`)) execFileSync('cp', ['-a', `${primary}.password`, `${standby}.password`])
  const { port, password } = new URL(url)
  appendFileSync(
    join(standby, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby'\n`,
  )
  markAsStandby(standby)
}

/** Lets the next start of a server be that of a standby. */
export const markAsStandby = (directory: string) => writeAs(directory, 'standby.signal', '')

/** Writes a file that Postgres' account owns, which need not be this one. */
function writeAs(directory: string, name: string, text: string): void {
  const { uid, gid } = statSync(join(directory, 'PG_VERSION'))
  writeFileSync(join(directory, name), text)
  chownSync(join(directory, name), uid, gid)
}
