import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { commandLineOf } from './processes.ts'
import { EmbeddedServerError, isDiskFull } from './server-error.ts'
import { commandFor, type Account } from './unprivileged.ts'

/** The environment of every Postgres program. It takes only PATH from this process: a PGPORT or a locale of this machine would change the cluster. */
export const postgresEnvironment: NodeJS.ProcessEnv = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' }

export type ClusterOptions = {
  dataDir: string
  durable: boolean
  database: string | undefined
  account: Account
  binaries: PostgresBinaries
}

const passwordFile = (dataDir: string) => `${dataDir}.password`

/**
 * Makes the cluster (the data directory) if it does not exist. It is built in another directory and moved when it is complete, so that a start that
 * is killed half-way leaves nothing that looks like a cluster.
 */
export function makeClusterIfAbsent({ dataDir, durable, database, account, binaries }: ClusterOptions): void {
  if (existsSync(join(dataDir, 'PG_VERSION'))) return checkVersion(dataDir, binaries.major)
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new EmbeddedServerError(`${dataDir} is not empty and holds no Postgres data. Move it away or choose another HERALD_DATA_DIR.`)
  }
  const building = `${dataDir}.new`
  mkdirSync(dirname(dataDir), { recursive: true })
  rmSync(building, { recursive: true, force: true })
  if (account.kind === 'user') makeDirectoryOf(account, building)

  const run = (file: string, args: string[], input = '') => {
    const command = commandFor(account, file, args)
    const answer = spawnSync(command.file, command.args, { ...command.as, input, env: postgresEnvironment, encoding: 'utf8' })
    if (answer.status !== 0) throw initError(dataDir, answer.stderr ?? answer.error?.message ?? '')
  }
  const access = durable ? ['-A', 'scram-sha-256', `--pwfile=${makePassword(dataDir, account)}`] : ['-A', 'trust', '--no-sync']
  run(binaries.initdb, ['-D', building, '-U', 'postgres', '-E', 'UTF8', '--locale=C', ...access])
  // Single-user mode needs no client library. It runs before the move, so that a moved cluster always has its database.
  if (database !== undefined) run(binaries.postgres, ['--single', '-D', building, 'postgres'], `create database "${database}"\n`)
  renameSync(building, dataDir)
}

/** Gives the password of the superuser; undefined when the cluster was made for tests and trusts everyone on 127.0.0.1. */
export function readPassword(dataDir: string): string | undefined {
  const file = passwordFile(dataDir)
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  if (!readFileSync(join(dataDir, 'pg_hba.conf'), 'utf8').includes('scram-sha-256\n')) return undefined
  throw new EmbeddedServerError(
    `${file} is missing, and with it the password of the database in ${dataDir}. Put it back, or remove both to begin anew.`,
  )
}

/**
 * Gives the pid of the Postgres that runs on this directory; undefined when none does. A `postmaster.pid` of a dead Postgres is removed, also when
 * its pid belongs to another program by now, because Postgres would then refuse to start.
 */
export function findRunningPostgres(dataDir: string): number | undefined {
  const file = join(dataDir, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  if (commandLineOf(pid)?.includes(dataDir)) return pid
  rmSync(file, { force: true })
  return undefined
}

function checkVersion(dataDir: string, major: string): void {
  const found = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim()
  if (found === major) return
  throw new EmbeddedServerError(
    `${dataDir} was written by PostgreSQL ${found}; this version of Herald brings PostgreSQL ${major}, which cannot read it. ` +
      `Dump it with PostgreSQL ${found}, or run that one and set DATABASE_URL, or move the directory away to begin anew.`,
  )
}

function makePassword(dataDir: string, account: Account): string {
  const file = passwordFile(dataDir)
  writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 })
  if (account.kind === 'user') spawnSync('chown', [`${account.uid}:${account.gid}`, file])
  return file
}

function makeDirectoryOf(account: Account & { kind: 'user' }, directory: string): void {
  mkdirSync(directory, { mode: 0o700 })
  spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, directory])
  const reach = spawnSync('test', ['-w', directory], { uid: account.uid, gid: account.gid })
  if (reach.status === 0) return
  throw new EmbeddedServerError(
    `Postgres does not run as root, and the user ${account.name} cannot reach ${dirname(directory)}. ` +
      `Run as an ordinary user, choose a HERALD_DATA_DIR that every user can reach, or set DATABASE_URL.`,
  )
}

function initError(dataDir: string, reason: string): EmbeddedServerError {
  if (isDiskFull(reason))
    return new EmbeddedServerError(`The disk that holds ${dataDir} is full: a new database needs about 40 MB, and room to grow.`)
  return new EmbeddedServerError(`Postgres could not make its directory ${dataDir}: ${reason.trim()}`)
}
