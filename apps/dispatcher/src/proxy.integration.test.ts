import { checkProvider } from '@herald/contracts/calls/dispatcher'
import { openBus } from '@herald/service/bus'
import { startProxy } from '@herald/testing/proxy'
import { testService } from '@herald/testing/service'
import { afterAll, expect, test } from 'vitest'
import { startRig } from './testing/start-rig.ts'

/** A dispatcher in a network that reaches the outside through a proxy alone. Only the proxy knows the names of the providers. */

const rig = await startRig()
afterAll(() => rig.clean())
const gateway = await openBus(testService('gateway', { NATS_URL: rig.environment['NATS_URL'] ?? '' }))
const named = (name: string, address: string): string => {
  const url = new URL(address)
  url.hostname = `${name}.provider.test`
  return url.href
}

// spec: running/proxy
test('APNs, FCM and its token service are reached through the proxy, with the address’s user, over a lasting connection', async () => {
  const proxy = await startProxy()
  const { apns, fcm, fcmToken } = rig.simulator.addresses
  await rig.start({
    HTTPS_PROXY: 'http://127.0.0.1:1',
    https_proxy: `user:secret@127.0.0.1:${proxy.port}`,
    APNS_URL: named('apns', apns),
    FCM_URL: named('fcm', fcm),
    FCM_TOKEN_URL: named('oauth', fcmToken),
  })
  const check = (kind: 'apns' | 'fcm') => gateway.call(checkProvider, { appId: rig.peers.appId, kind })
  expect(await check('apns')).toEqual({ ok: true, code: null, providerCode: '400 BadDeviceToken' })
  expect(await check('fcm')).toEqual({ ok: true, code: null, providerCode: '400 INVALID_ARGUMENT message.token' })
  expect(proxy.asked.map((to) => to.split('.')[0])).toEqual(['apns', 'oauth', 'fcm'])
  expect(new Set(proxy.authorizations)).toEqual(new Set([`Basic ${btoa('user:secret')}`]))
})

// spec: running/proxy
test('when the proxy refuses the tunnel, nothing is sent to the provider, and the reason names the proxy', async () => {
  const proxy = await startProxy()
  proxy.answer = 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'
  await rig.clean()
  await rig.start({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, APNS_URL: named('apns', rig.simulator.addresses.apns) })
  const answer = await gateway.call(checkProvider, { appId: rig.peers.appId, kind: 'apns' })
  expect(answer).toEqual({ ok: false, code: 'network_error', providerCode: 'PROXY_407' })
})
