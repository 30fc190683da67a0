import type { Webhook } from '@herald/contracts/webhook'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { sharedProcesses } from '../platform.ts'
import { onDatabase } from '../chaos/platform.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { ok } from './campaigns.ts'

const herald = await sharedProcesses()
const tenant = await givenTenant(herald)

test('an endpoint that webhooks makes after the gateway was killed still gets its line in the audit, marked as unconfirmed', async () => {
  await onDatabase(herald, async (client) => {
    await client.query('begin; lock table webhooks.endpoints in access exclusive mode')
    const unheard = tenant.admin('POST', '/webhooks', { url: 'https://93.184.216.34/hook' }).then(
      () => 'answered',
      () => 'no answer',
    )
    const waiting = `select from pg_locks where relation = 'webhooks.endpoints'::regclass and not granted`
    await until(async () => ((await client.query(waiting)).rowCount ?? 0) > 0, { withinMs: 30_000, what: 'a webhook that is being made' })
    signalAll([readyPid(herald.dataDir, 'gateway-1') ?? 0], 'SIGKILL')
    expect(await unheard).toBe('no answer')
    await client.query('rollback')
    await client.query(`update gateway.audit_intents set created_at = now() - interval '61 seconds'`)
  })

  const line = await until(
    async () => {
      const { items } = ok(
        await tenant.admin<{ items: { action: string; subject: unknown }[] }>('GET', '/audit?action=webhook.created'),
        200,
      )
      return items.length > 0 && items
    },
    { withinMs: 60_000, what: 'the line' },
  )

  expect(line).toMatchObject([{ action: 'webhook.created', subject: { unconfirmed: true } }])
  expect(ok(await tenant.admin<{ items: Webhook[] }>('GET', '/webhooks'), 200).items).toHaveLength(1)
}, 120_000)
