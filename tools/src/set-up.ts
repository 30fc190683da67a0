// Prepares a stack of containers (docker-compose.yml). `secrets` writes missing secrets and settings into <SET_UP_OUT>/<name>, or `server`; `migrate`
// begins upgrades; `queue` copies streams (`--replicas 3`) or makes them anew (`--reset`); `restore` follows an older database.
import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { natsAuthorization } from '@herald/contracts/grants'
import {
  apps,
  appsWithDatabase,
  callsOutside,
  databaseVariable,
  hasDatabase,
  natsPasswordVariable,
  ownersOf,
  rolesAreGiven,
  secretsOf,
  type Owners,
} from './apps.ts'
import type { AppName } from '@herald/contracts/call'
import { readCertificates } from './certificates.ts'
import { prepareDatabase } from './database.ts'
import { queueUsage, readQueueOptions, runQueue } from './queue.ts'
import { restore, restoreUsage } from './restore.ts'
import { readSecrets } from './secrets.ts'
import { StartError } from './start-error.ts'
import { writeWhole } from './write-whole.ts'

const { env } = process
/**
 * The directory in which the secrets that were made are stored, so that the next start uses the same ones. When it is lost, no stored provider
 * credential can be read any more.
 */
const stateDir = env['SET_UP_STATE'] || '/state'
const outDir = env['SET_UP_OUT'] || '/secrets'
const inOneProcess = process.argv[3] === 'server'

const queueOptions = readQueueOptions(process.argv.slice(3))

const restoreOption = process.argv.slice(3).join(' ')
const commands: Record<string, (() => Promise<void> | void) | undefined> = {
  secrets: laySecrets,
  migrate,
  queue: queueOptions && queue,
  restore: ['', '--keep-sending'].includes(restoreOption) ? restoreAll : undefined,
}
const command = commands[process.argv[2] ?? '']
if (!command) {
  process.stderr.write(`usage: set-up <secrets [server] | migrate | ${queueUsage} | ${restoreUsage}>\n`)
  process.exit(2)
}
try {
  await command()
} catch (error) {
  process.stderr.write(`${error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}

function laySecrets(): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const secrets = readSecrets(stateDir, env)
  const owner = ownerAddress()
  lay('postgres', { POSTGRES_PASSWORD: decodeURIComponent(owner.password) })
  const owners = ownersOf(owner.href, env)
  lay('migrate', {
    OWNERS: JSON.stringify(owners),
    ...(rolesAreGiven(env) ? {} : { PASSWORDS: JSON.stringify(secrets.passwords) }),
    [natsPasswordVariable('queue')]: secrets.natsPasswords.queue,
  })
  const settingsOf = (app: AppName) => ({
    ...Object.fromEntries(secretsOf[app].map((name) => [name, secrets[name]])),
    [natsPasswordVariable(app)]: secrets.natsPasswords[app],
    ...(hasDatabase(app) && {
      [databaseVariable(app)]: rolesAreGiven(env) ? owners[app] : addressOf(new URL(owners[app]), app, passwordOf(secrets, app)),
    }),
  })
  // One process for all services has the settings of all in its directory; six processes have a directory each.
  if (inOneProcess) lay('server', Object.assign({}, ...apps.map(settingsOf)) as Record<string, string>)
  else for (const app of apps) lay(app, settingsOf(app))
  lay('nats', { 'users.conf': natsAuthorization(secrets.natsPasswords) })
  laySimulator(secrets.SIMULATOR_CONTROL_TOKEN)
}

function passwordOf({ passwords }: { passwords: Record<string, string> }, app: string): string {
  const password = passwords[app]
  if (password === undefined) throw new Error(`there is no database password for ${app}`)
  return password
}

async function migrate(): Promise<void> {
  const passwords = existsSync(join(outDir, 'migrate', 'PASSWORDS'))
    ? (JSON.parse(read('migrate', 'PASSWORDS')) as Record<string, string>)
    : undefined
  await prepareDatabase(JSON.parse(read('migrate', 'OWNERS')) as Owners, passwords, (app) => join(import.meta.dirname, 'migrations', app))
  process.stdout.write(`schemas of ${appsWithDatabase.join(', ')} are up to date\n`)
}

async function queue(): Promise<void> {
  if (queueOptions) process.stdout.write(await runQueue(queueOptions, { env, laid: join(outDir, 'migrate') }))
}

/** Prepares databases that went back in time, and makes the queue anew. Without NATS the first pointers at old rows may take two minutes more. */
async function restoreAll(): Promise<void> {
  const owners = existsSync(join(outDir, 'migrate', 'OWNERS'))
    ? (JSON.parse(read('migrate', 'OWNERS')) as Owners)
    : ownersOf(ownerAddress().href, env)
  process.stdout.write(await restore(owners, { keepSending: restoreOption !== '' }))
  const queue = await runQueue({ replicas: 1, reset: true }, { env, laid: join(outDir, 'migrate') }).catch(
    (error: unknown) => `${error instanceof Error ? error.message : String(error)} It may hold old pointers, which do no harm.\n`,
  )
  process.stdout.write(queue)
}

/** Gives the owner's database address: the given one, or that of the stack's Postgres with a password that is made once. */
function ownerAddress(): URL {
  if (env['DATABASE_URL']) return new URL(env['DATABASE_URL'])
  const file = join(stateDir, 'postgres-password')
  if (!existsSync(file)) writeWhole(file, env['POSTGRES_PASSWORD'] || randomBytes(24).toString('base64url'))
  const owner = new URL('postgres://herald@postgres:5432/herald')
  owner.password = encodeURIComponent(readFileSync(file, 'utf8'))
  return owner
}

/** Gives the database address of a service; provision() names its role `<database>_<app>`. */
function addressOf(owner: URL, app: string, password: string): string {
  const address = new URL(owner)
  address.username = encodeURIComponent(`${decodeURIComponent(owner.pathname.slice(1))}_${app}`)
  address.password = encodeURIComponent(password)
  return address.href
}

/** With the simulator: makes its certificate and lets the services that call it trust it. Without the simulator: removes that trust. */
function laySimulator(token: string): void {
  const trusting = inOneProcess ? ['server'] : callsOutside
  const isAsked = (env['COMPOSE_PROFILES'] ?? '').split(',').includes('simulator')
  if (!isAsked) {
    for (const app of trusting) rmSync(join(outDir, app, 'ca.pem'), { force: true })
    return
  }
  const { ca, certificate, privateKey } = readCertificates(stateDir, new Date())
  for (const app of trusting) copyFileSync(ca, join(directoryOf(app), 'ca.pem'))
  copyFileSync(certificate, join(directoryOf('simulator'), 'server.pem'))
  copyFileSync(privateKey, join(directoryOf('simulator'), 'server-key.pem'))
  lay('simulator', { SIMULATOR_CONTROL_TOKEN: token })
}

function directoryOf(app: string): string {
  const directory = join(outDir, app)
  mkdirSync(directory, { recursive: true })
  return directory
}

/** Writes the settings of a service as files. Every container that mounts the directory can read them, and only the service's container mounts it. */
function lay(app: string, settings: Record<string, string>): void {
  const directory = directoryOf(app)
  for (const [name, value] of Object.entries(settings)) writeWhole(join(directory, name), value, 0o444)
}

function read(app: string, name: string): string {
  return readFileSync(join(outDir, app, name), 'utf8')
}
