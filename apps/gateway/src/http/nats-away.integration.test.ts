import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNatsServer } from '@herald/embedded/nats-server'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { afterAll, expect, test } from 'vitest'
import { newId } from '@herald/contracts/ids'
import { deleteApiKey } from '../apps/store/api-keys.ts'
import type { Tables } from '../store/tables.ts'
import { startGateway } from '../testing/start-gateway.ts'

const storeDir = mkdtempSync(join(tmpdir(), 'herald-gateway-nats-'))
let nats = await startNatsServer({ storeDir })
afterAll(async () => {
  await nats.stop()
  rmSync(storeDir, { recursive: true, force: true })
})
const { url } = await freshDatabase()
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })

test('an API key revoked while NATS was away stops working as soon as it is back, although cached', async () => {
  const gateway = await startGateway({ database: url('gateway'), nats: nats.url }, { API_KEY_CACHE_TTL: '3600' })
  const { appId, secretKey, secretKeyId } = await gateway.givenApp()
  // While the key is accepted, the answer is 422 because the body is wrong.
  const use = async () =>
    (
      await gateway.ask({
        method: 'POST',
        path: '/v1/notifications',
        headers: { authorization: `Bearer ${secretKey}` },
        body: { id: newId() },
      })
    ).status
  expect(await use()).toBe(422)

  await nats.stop()
  // Another gateway would revoke the key like this, and its broadcast would reach no process.
  await deleteApiKey(db, appId, secretKeyId)
  expect(await use()).toBe(422)
  nats = await startNatsServer({ storeDir, port: nats.port })

  await until(async () => (await use()) === 401)
})
