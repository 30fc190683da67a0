import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { verifyIdentityToken } from '@herald/auth/identity-token'
import { childEnvironment } from '@herald/testing/child-environment'
import type { Herald } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, onTestFinished } from 'vitest'
import { onDatabase } from '../chaos/platform.ts'
import { sharedPlatform } from '../platform.ts'
import { startFaultyProxy } from '../tests/faulty-proxy.ts'
import { startReceiver } from './receiver.ts'

/** What a client's program prints first. The programs are sdks/python/tests/walk.py and sdks/go/walk/main.go. */
type Walked = {
  device: string
  ids: string[]
  status: string
  sent: number
  refused: { code: string; status: number; message: string; requestId: string }
  lost: string
  user: { tags: Record<string, unknown>; devices: string[] }
  segments: string[]
  count: number
  identityToken: string
}

const externalId = 'kündin/7'

/**
 * Runs a client's program against a Herald: it registers a device, sends, follows the send, is refused, loses an answer, and verifies webhook
 * deliveries. Checks what the program found and what Herald has stored. Gives how the program ended.
 */
export async function walkClient(
  program: string,
  given: readonly string[],
  directory: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ status: number | null; complaints: string }> {
  const platform = await sharedPlatform()
  const tenant = await givenTenant(platform)
  const proxy = await startFaultyProxy(platform.baseUrl, { drops: (n) => n === 1 })
  onTestFinished(proxy.stop)
  const { url, received } = await startReceiver(() => 204)
  const webhook = await tenant.admin<{ secret: string }>('POST', '/webhooks', { url, eventTypes: ['notification.sent'] })
  expect(webhook.status).toBe(201)
  const [device] = await tenant.makeDevices('android', 1)

  const asked = {
    baseUrl: platform.baseUrl,
    proxy: proxy.url,
    key: tenant.secretKey,
    externalId,
    device: { platform: 'android', token: device?.token },
  }
  const child = spawn(program, given, {
    cwd: directory,
    env: { ...childEnvironment, ...env, WALK: JSON.stringify(asked) },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((done) => child.once('close', done))
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async <Line>(): Promise<Line> => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`the program of the client ended: ${complaints}`)
    return JSON.parse(value) as Line
  }

  const walked = await nextLine<Walked>()
  expect(walked).toMatchObject({ status: 'sent', sent: 1, segments: ['Pro'], count: 1 })
  expect(walked.ids[0]).toBe(walked.ids[1])
  expect(walked.refused).toMatchObject({ code: 'invalid_body', status: 422 })
  expect(walked.refused.message).toMatch(/./)
  expect(walked.refused.requestId).toMatch(/^[0-9a-f-]{36}$/)
  expect(walked.user).toEqual({ tags: { plan: 'pro' }, devices: [walked.device] })
  expect(verifyIdentityToken('identity secret', walked.identityToken, new Date())).toEqual({ ok: true, externalId })
  // The answer to the send through the proxy was lost once, and the repeated request did not make a second campaign.
  expect(proxy.dropped()).toBe(1)
  expect(await campaignsOf(platform, tenant.appId)).toEqual(new Set([walked.ids[0], walked.lost]))

  const told = () => received.flatMap(({ events }) => events.map(({ campaignId }) => campaignId))
  await until(() => new Set(told()).size === 2, { what: 'events of both sends' })
  for (const { id, header, body, events } of received) {
    const verify = (more: object) => {
      child.stdin.write(`${JSON.stringify({ header, body, secret: webhook.body.secret, ...more })}\n`)
      return nextLine()
    }
    expect(await verify({})).toEqual({ id, types: events.map(({ type }) => type) })
    expect(await verify({ body: `${body} ` })).toEqual({ code: 'bad_signature' })
    expect(await verify({ secret: 'whsec_other' })).toEqual({ code: 'bad_signature' })
    expect(await verify({ header: '' })).toEqual({ code: 'malformed' })
  }
  child.stdin.end()
  expect((await tenant.call<{ segments: unknown[] }>('GET', '/v1/segments')).body.segments).toEqual([])
  return { status: await ended, complaints }
}

const campaignsOf = (platform: Herald, appId: string): Promise<Set<string>> =>
  onDatabase(platform, async (client) => {
    const { rows } = await client.query<{ id: string }>('select id from campaigns.campaigns where app_id = $1', [appId])
    return new Set(rows.map(({ id }) => id))
  })
