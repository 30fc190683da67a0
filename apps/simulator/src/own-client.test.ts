import { expect, test } from 'vitest'
import { prepareHead } from '@herald/http2/client/head'
import { openOrigin } from '@herald/http2/client/origin'
import type { Reply } from '@herald/http2/client/reply'
import { givenSimulator, makeJwt, seconds } from './testing/simulator.ts'

test.each([
  ['with a GOAWAY every 500 requests and 1 % of streams refused', { goawayEvery: 500, refuseStreamShare: 0.01 }],
  ['with windows that open only after the HEADERS, and a GOAWAY every 500 requests', { goawayEvery: 500, lateWindows: true }],
])("%s, APNs accepts each of 10,000 pushes of Herald's HTTP/2 client once", async (_, faults) => {
  const simulator = await givenSimulator()
  try {
    const account = { kind: 'apns', teamId: 'TEAM000001', keyId: 'KEY0000001', bundleId: 'org.example.app' }
    const { privateKey } = await simulator.ask<{ privateKey: string }>('POST', '/accounts', account)
    const device = { platform: 'ios', count: 100, environment: 'production', bundleId: account.bundleId }
    const { devices } = await simulator.ask<{ devices: { token: string }[] }>('POST', '/devices', device)
    await simulator.ask('PUT', '/faults', { service: 'apns', ...faults })

    const url = new URL(simulator.addresses.apns)
    const origin = openOrigin({ host: url.hostname, port: Number(url.port), ca: simulator.certificate.pem })
    const jwt = makeJwt('ES256', privateKey, { iss: account.teamId, iat: seconds() }, { kid: account.keyId })
    const head = prepareHead({
      authority: url.host,
      fields: [
        ['authorization', `bearer ${jwt}`],
        ['apns-topic', account.bundleId],
        ['apns-push-type', 'alert'],
      ],
    })
    let refused = 0
    const push = async (n: number): Promise<Reply> => {
      for (;;) {
        const body = JSON.stringify({ aps: { alert: `push ${n}` }, msgId: `message-${n}` })
        const path = `/3/device/${devices[n % devices.length]?.token}`
        const reply = await origin.request({ head, path, body, timeoutMs: 60_000 })
        if (reply.is !== 'refused') return reply
        refused++
      }
    }
    let next = 0
    const others: Reply[] = []
    await Promise.all(
      Array.from({ length: 400 }, async () => {
        while (next < 10_000) {
          const reply = await push(next++)
          if (reply.is !== 'answered' || reply.status !== 200) others.push(reply)
        }
      }),
    )
    await origin.close()
    expect(others).toEqual([])
    expect(refused).toBeGreaterThanOrEqual('refuseStreamShare' in faults ? 1 : 0)
    expect(await simulator.ask('GET', '/summary')).toMatchObject({ accepted: { total: 10_000 }, copies: 0 })
  } finally {
    simulator.stop()
  }
})
