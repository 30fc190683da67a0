import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apps, type AppName } from '@herald/contracts/call'
import { grantsOf } from '@herald/contracts/grants'
import { startNatsServer } from '@herald/embedded/nats-server'
import { openBus } from '@herald/service/bus'
import { testService } from '@herald/testing/service'
import { atEnd } from '@herald/testing/at-end'
import { expect, test } from 'vitest'
import { natsPasswordVariable } from './apps.ts'
import { root } from './workspace.ts'

const directory = mkdtempSync(join(tmpdir(), 'herald-set-up-'))
atEnd(() => rmSync(directory, { recursive: true, force: true }))
const laid = join(directory, 'secrets')
const laySecrets = () =>
  execFileSync(process.execPath, ['tools/src/set-up.ts', 'secrets'], {
    cwd: root,
    env: { ...process.env, SET_UP_STATE: join(directory, 'state'), SET_UP_OUT: laid, COMPOSE_PROFILES: 'simulator', DATABASE_URL: '' },
  })
const read = (app: string, name: string) => readFileSync(join(laid, app, name), 'utf8')
const natsPassword = (app: AppName) => read(app, natsPasswordVariable(app))

// spec: cluster/reset
test('in containers each service gets its own NATS password, nats-server all, and others none', async () => {
  laySecrets()
  const passwords = apps.map(natsPassword)
  laySecrets()

  expect(apps.map(natsPassword)).toEqual(passwords)
  expect(new Set(passwords).size).toBe(apps.length)
  for (const reader of readdirSync(laid)) {
    const files = readdirSync(join(laid, reader)).map((name) => read(reader, name))
    const known = passwords.filter((password) => files.some((content) => content.includes(password)))
    const app = apps.find((name) => name === reader)
    expect([reader, known]).toEqual([reader, reader === 'nats' ? passwords : app ? [natsPassword(app)] : []])
  }

  const server = await startNatsServer({ storeDir: join(directory, 'nats'), configuration: 'include ../secrets/nats/users.conf' })
  atEnd(server.stop)
  for (const app of apps) {
    const bus = await openBus(testService(app, { NATS_URL: server.url, NATS_PASSWORD: natsPassword(app) }))
    const [stored] = grantsOf(app).publish.filter((subject) => subject.startsWith('event.') || subject.startsWith('work.'))
    if (stored !== undefined) await bus.publish(stored, {}, `${app} 1`)
  }

  expect(runQueue(server.url, '--reset')).toEqual({ status: 0, stdout: 'WORK: one copy\nEVENTS: one copy\nCANARY: one copy\n', stderr: '' })
  const single = runQueue(server.url, '--replicas', '3')
  expect(single).toMatchObject({ status: 1, stdout: '' })
  expect(single.stderr).toMatch(/^The queue was not set up: .*non-clustered/)
})

function runQueue(natsUrl: string, ...options: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/src/set-up.ts', 'queue', ...options], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, SET_UP_OUT: laid, HERALD_DATA_DIR: join(directory, 'none'), NATS_URL: natsUrl },
  })
  return { status, stdout, stderr }
}

// spec: cluster/reset
test.each([[[]], [['--replicas', '2']], [['--replicas']], [['--rest']], [['--reset', 'WORK']]])(
  '`set-up queue` with the options %j says how it is used, and changes nothing',
  (options) => {
    expect(runQueue('nats://127.0.0.1:1', ...options)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('queue [--replicas 1|3] [--reset]'),
    })
  },
)

test('docker-compose.yml and deploy/nats.conf give nats-server the users that the set-up made, and let it show its state on 127.0.0.1 alone', () => {
  const [compose, configuration] = ['docker-compose.yml', 'deploy/nats.conf'].map((file) => readFileSync(join(root, file), 'utf8'))

  expect(compose).toContain('- secrets-nats:/secrets/nats\n')
  expect(compose).toContain('- secrets-nats:/etc/nats/secrets:ro\n')
  expect(configuration).toMatch(/^include secrets\/users\.conf$/m)
  expect(configuration).toMatch(/^http: "127\.0\.0\.1:8222"$/m)
  expect(configuration).not.toMatch(/^(http_port|https_port|monitor_port|profile_port|no_auth_user|leafnodes|cluster|websocket|mqtt)\b/m)
})
