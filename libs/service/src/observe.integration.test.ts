import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@herald/embedded/free-port'
import { startNatsServer } from '@herald/embedded/nats-server'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test } from 'vitest'
import { openBus } from './bus.ts'
import { openObservation } from './observe.ts'

const ask = async (port: number, path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(5_000) })
  return { status: answer.status, text: await answer.text() }
}
const observe = (service: ReturnType<typeof testService>, port = 0) =>
  openObservation({ HOST: '127.0.0.1', OBSERVE_PORT: port }, { ...service, text: () => service.metrics.text() })

// spec: running/observed
test('a service process is alive from its start, ready while NATS is there, shows its metrics, and ends after SIGTERM', async () => {
  const storeDir = mkdtempSync(join(tmpdir(), 'herald-observe-'))
  const [natsPort, port] = [await freePort(), await freePort()]
  const app = spawn(process.execPath, [join(import.meta.dirname, 'testing/small-app.ts')], {
    env: { ...process.env, NATS_URL: `nats://127.0.0.1:${natsPort}`, OBSERVE_PORT: String(port), LOG_LEVEL: 'silent' },
    stdio: 'ignore',
  })
  const exited = once(app, 'exit')
  onTestFinished(() => void app.kill('SIGKILL'))

  await until(async () => (await ask(port, '/livez')).status === 200, { withinMs: 40_000, what: 'alive' })
  expect(await ask(port, '/readyz')).toEqual({ status: 503, text: JSON.stringify({ status: 'waiting', waitingFor: ['start'] }) })

  let server = await startNatsServer({ storeDir, port: natsPort })
  onTestFinished(async () => {
    await server.stop()
    rmSync(storeDir, { recursive: true, force: true })
  })
  await openBus(testService('gateway', { NATS_URL: server.url }))
  await until(async () => (await ask(port, '/readyz')).status === 200)

  await server.stop()
  await until(async () => (await ask(port, '/readyz')).status === 503)
  expect(await ask(port, '/readyz')).toMatchObject({ text: JSON.stringify({ status: 'waiting', waitingFor: ['nats'] }) })
  expect((await ask(port, '/livez')).status).toBe(200)
  expect((await ask(port, '/metrics')).text).toContain('herald_nats_up 0')

  server = await startNatsServer({ storeDir, port: natsPort })
  await until(async () => (await ask(port, '/readyz')).status === 200)
  const { text } = await ask(port, '/metrics')
  for (const name of [
    'herald_nats_up 1',
    'herald_queue_writable 1',
    'herald_calls_in_work 0',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
  ])
    expect(text).toContain(name)
  expect((await ask(port, '/')).status).toBe(404)

  app.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
})

test('a service that is stopping answers that it is alive and not ready', async () => {
  const service = testService('tracker', {})
  const port = await observe(service)
  expect((await ask(port, '/readyz')).status).toBe(200)
  const seen: unknown[] = []
  service.onStop('work', async () => {
    for (const path of ['/livez', '/readyz']) seen.push(await ask(port, path))
  })

  await service.stop()

  expect(seen).toEqual([
    { status: 200, text: '{"status":"alive"}' },
    { status: 503, text: '{"status":"waiting","waitingFor":["stop"]}' },
  ])
})

test('a service whose port for probes and metrics is taken answers probes on another port', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const address = other.address()
  const taken = typeof address === 'object' && address ? address.port : 0

  const port = await observe(testService('tracker', {}), taken)

  expect(port).not.toBe(taken)
  expect((await ask(port, '/livez')).status).toBe(200)
})
