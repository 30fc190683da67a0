import { Agent, request } from 'node:http'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { startGateway } from './testing/start-gateway.ts'

const nats = await freshNats()
const { url } = await freshDatabase()

test('a new gateway that starts before the old one stops costs clients that keep their connections no error', async () => {
  const old = await startGateway({ database: url('gateway'), nats })
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  const askOnce = () =>
    new Promise<number | string>((resolve) => {
      request({ host: '127.0.0.1', port: old.port, path: '/health', agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
        .on('error', (error) => resolve(error.message))
        .end()
    })
  const clientsStop = new AbortController()
  const answers: (number | string)[] = []
  const clients = Array.from({ length: 20 }, async () => {
    while (!clientsStop.signal.aborted) answers.push(await askOnce())
  })
  await until(() => answers.length > 500)
  const young = await startGateway({ database: url('gateway'), nats }, { PORT: String(old.port) })
  await old.stop()
  const stoppedAt = answers.length
  await until(() => answers.length > stoppedAt + 500)
  clientsStop.abort()
  await Promise.all(clients)
  agent.destroy()

  expect(young.port).toBe(old.port)
  expect(answers.filter((answer) => answer !== 200)).toEqual([])
})
