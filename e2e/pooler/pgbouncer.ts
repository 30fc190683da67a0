import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { until } from '@herald/testing/until'
import { unpackDebian } from '@herald/tools/debian'

/** PgBouncer and the libraries that it is linked with, of a Debian that has 1.21 or later. */
const packages = [
  ...['pgbouncer', 'libc6', 'libcares2', 'libevent-2.1-7t64', 'libldap2', 'libpam0g', 'libssl3t64', 'libsystemd0', 'libsasl2-2'],
  ...['libcap2', 'libaudit1', 'libcap-ng0', 'libgcrypt20', 'libgpg-error0', 'liblz4-1', 'liblzma5', 'libzstd1', 'libcrypt1', 'zlib1g'],
]
const given = resolve(import.meta.dirname, '../../deploy/pgbouncer/pgbouncer.ini')

export type PgBouncer = { port: number; kill: () => Promise<void>; start: () => Promise<void>; stop: () => Promise<void> }

/**
 * Starts PgBouncer before a Postgres with the configuration of deploy/pgbouncer, in which only addresses and files are changed. `roles` are the names
 * and passwords of those who log in. `change` changes the configuration further.
 */
export async function startPgBouncer(
  { postgresPort, port, roles }: { postgresPort: number; port: number; roles: Record<string, string> },
  change = (ini: string) => ini,
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'herald-pgbouncer-'))
  chmodSync(folder, 0o755)
  const users = join(folder, 'userlist.txt')
  writeFileSync(
    users,
    Object.entries(roles)
      .map(([name, password]) => `"${name}" "${password}"\n`)
      .join(''),
  )
  const ini = change(readFileSync(given, 'utf8'))
    .replaceAll('host=postgres port=5432', `host=127.0.0.1 port=${postgresPort}`)
    .replace(/^listen_addr = .*/m, 'listen_addr = 127.0.0.1')
    .replace(/^listen_port = .*/m, `listen_port = ${port}`)
    .replace(/^auth_file = .*/m, `auth_file = ${users}\nunix_socket_dir =`)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, ini)

  const [command = '', ...before] = program()
  let child: ChildProcess
  let said = ''
  const isOpen = () =>
    new Promise<boolean>((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false))
      socket.on('connect', () => socket.destroy())
    })
  const end = (signal: NodeJS.Signals) =>
    new Promise<void>((done) => {
      if (child.exitCode !== null || child.signalCode !== null) return done()
      child.once('exit', () => done())
      child.kill(signal)
    })
  const start = async () => {
    child = spawn(command, [...before, ...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said.slice(-1_000)}`)
        return isOpen()
      },
      { withinMs: 10_000, what: 'PgBouncer listens' },
    )
  }
  await start()
  return {
    port,
    start,
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Gives the command of PgBouncer: that of the machine if it is new enough, else Debian's, with its own libraries. */
function program(): string[] {
  const [, minor = '0'] = /PgBouncer 1\.(\d+)/.exec(spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? []
  if (Number(minor) >= 21) return ['pgbouncer']
  const folder = unpackDebian('pgbouncer', packages, 'sid')
  const libraries = join(folder, 'usr/lib/x86_64-linux-gnu')
  return [join(libraries, 'ld-linux-x86-64.so.2'), '--library-path', libraries, join(folder, 'usr/sbin/pgbouncer')]
}
