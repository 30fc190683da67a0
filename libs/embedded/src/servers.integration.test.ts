import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startNatsServer } from './nats-server.ts'
import { findRunningPostgres, startPostgres } from './postgres.ts'

const directory = mkdtempSync(join(tmpdir(), 'herald-embedded-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const answer = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(() => false)
  socket.destroy()
  return answer
}

test('a durable Postgres stores its password in a file of its user alone, and starts again after a kill', async () => {
  const dataDir = join(directory, 'postgres')
  const first = await startPostgres({ dataDir, durable: true, database: 'herald' })
  expect(findRunningPostgres(dataDir)).toBe(first.pid)
  expect(statSync(`${dataDir}.password`).mode & 0o777).toBe(0o600)
  expect(first.url()).toBe(`postgres://postgres:${readFileSync(`${dataDir}.password`, 'utf8')}@127.0.0.1:${first.port}/herald`)

  first.child.kill('SIGKILL')
  await once(first.child, 'exit')

  const second = await startPostgres({ dataDir, durable: true, port: first.port })
  expect(await accepts(first.port)).toBe(true)
  await second.stop()
  expect(await accepts(first.port)).toBe(false)
  expect(findRunningPostgres(dataDir)).toBeUndefined()
})

test('when Postgres cannot start, the error says why: a taken port, data of another version, a directory with other files', async () => {
  const dataDir = join(directory, 'named')
  await (await startPostgres({ dataDir, durable: false })).stop()
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  await expect(startPostgres({ dataDir, durable: false, port })).rejects.toThrow(`Port ${port} of 127.0.0.1, meant for Postgres, is taken`)
  other.close()

  writeFileSync(join(dataDir, 'PG_VERSION'), '9\n')
  await expect(startPostgres({ dataDir, durable: false })).rejects.toThrow('was written by PostgreSQL 9')

  rmSync(join(dataDir, 'PG_VERSION'))
  await expect(startPostgres({ dataDir, durable: false })).rejects.toThrow('holds no Postgres data')
})

test('a nats-server that was killed starts again on its directory and port', async () => {
  const storeDir = join(directory, 'nats')
  const first = await startNatsServer({ storeDir })
  expect(await accepts(first.port)).toBe(true)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')

  const second = await startNatsServer({ storeDir, port: first.port })
  expect(second.url).toBe(first.url)
  await second.stop()
  expect(await accepts(first.port)).toBe(false)
})
