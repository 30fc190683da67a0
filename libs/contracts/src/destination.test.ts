import { expect, test } from 'vitest'
import { endpointProblem, isNamed, isPublicAddress, knownPushServices, type EndpointRule } from './destination.ts'

/** The first and the last address of each range, and the public addresses before and after it; null where the next address is not public. */
test.each([
  ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255', null],
  ['64:ff9b::', '64:ff9b::ffff:ffff', '64:ff9a:ffff::', '64:ff9b::1:0:0'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', null, '64:ff9b:2::'],
  ['100::', '100::1:ffff:ffff:ffff:ffff', null, '100:0:0:2::'],
  ['::ffff:0:0:0', '::ffff:0:ffff:ffff', null, '::ffff:1:0:0'],
  ['2001::', '2001:1ff:ffff::', '2000:ffff::', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff::', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff::', '2001:ffff::', '2003::'],
  ['3fff::', '3fff:fff:ffff::', '3ffe:ffff::', '3fff:1000::'],
  ['5f00::', '5f00:ffff::', '5eff:ffff::', '5f01::'],
  ['fc00::', 'fdff:ffff::', 'fbff:ffff::', 'fe00::'],
  ['fe80::', 'febf:ffff::', 'fe7f:ffff::', null],
  ['fec0::', 'feff:ffff::', null, null],
  ['ff00::', 'ffff::', null, null],
])('%s and %s end a range that is not public; %s and %s next to it (null: none) are public', (first, last, before, after) => {
  expect([first, last].map(isPublicAddress)).toEqual([false, false])
  expect([before, after].filter((outside) => outside !== null && !isPublicAddress(outside))).toEqual([])
})

test.each([
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fd00:ec2::254',
  'fe80::1%eth0',
  'localhost',
  '',
])('%s is not a public IP address', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each(['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is a public IP address', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

const anywhere = { allowPrivate: false, hosts: ['*'] }
const isAllowedEndpoint = (endpoint: string, rule: EndpointRule): boolean => endpointProblem(endpoint, rule) === undefined

test.each([
  'https://127.1/push',
  'https://0x7f.0.0.1/push',
  'https://2130706433/push',
  'https://0177.0.0.1/push',
  'https://１２７.0.0.1/push',
  'https://0/push',
  'https://127.0.0.1./push',
  'https://[::1]/push',
  'https://[::ffff:127.0.0.1]/push',
  'https://169.254.169.254/latest',
  'http://push.example/a',
  'https://user:secret@push.example/a',
  'ftp://push.example/a',
  'push.example',
])('Herald sends no push to the endpoint %s', (endpoint) => {
  expect(isAllowedEndpoint(endpoint, anywhere)).toBe(false)
})

// spec: webhooks/url-private
test('in development an endpoint may be on a private address, but never use http or have credentials in its URL', () => {
  const rule = { allowPrivate: true, hosts: knownPushServices }
  expect(isAllowedEndpoint('https://localhost:4433/push', rule)).toBe(true)
  expect(isAllowedEndpoint('https://127.0.0.1/push', rule)).toBe(true)
  expect(isAllowedEndpoint('http://localhost/push', rule)).toBe(false)
  expect(isAllowedEndpoint('https://a:b@localhost/push', rule)).toBe(false)
})

// spec: identity/endpoint-host
test('when the operator lists hosts of push services, a browser’s endpoint must be on one of these hosts', () => {
  const rule = { allowPrivate: false, hosts: ['fcm.googleapis.com', '*.push.apple.com'] }
  expect(isAllowedEndpoint('https://fcm.googleapis.com/fcm/send/x', rule)).toBe(true)
  expect(isAllowedEndpoint('https://web.push.apple.com/x', rule)).toBe(true)
  expect(isAllowedEndpoint('https://push.apple.com/x', rule)).toBe(false)
  expect(isAllowedEndpoint('https://evilfcm.googleapis.com.example/x', rule)).toBe(false)
})

// spec: identity/endpoint-host
test('the built-in list of push services has those of Mozilla, Google, Apple, Microsoft and Meta', () => {
  const rule = { allowPrivate: false, hosts: knownPushServices }
  const known = [
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://fcm.googleapis.com/fcm/send/x',
    'https://jmt17.google.com/fcm/send/x',
    'https://fcm.google.com/x',
    'https://graph.facebook.com/rl_push_send?x',
    'https://web.push.apple.com/x',
    'https://wns2-par02p.notify.windows.com/w/?token=x',
  ]
  const others = [
    'https://push.example/x',
    'https://storage.googleapis.com/x',
    'https://notify.windows.com.example/x',
    'https://xnotify.windows.com/x',
    'https://127.0.0.1/x',
  ]
  expect([...known, ...others].filter((endpoint) => isAllowedEndpoint(endpoint, rule))).toEqual(known)
})

// spec: identity/endpoint-host
test('with * any public host may be an endpoint, but only a listed one counts as trusted', () => {
  const rule = { allowPrivate: false, hosts: ['*', 'push.example'] }
  expect(endpointProblem('https://anywhere.example/x', rule)).toBeUndefined()
  expect(endpointProblem('https://localhost/x', rule)).toBeDefined()
  expect(isNamed('https://anywhere.example/x', rule)).toBe(false)
  expect(isNamed('https://push.example/x', rule)).toBe(true)
})

test('in development this machine and containers count as trusted, but a made-up host name and another private address do not', () => {
  const rule = { allowPrivate: true, hosts: knownPushServices }
  const named = ['https://localhost:1/x', 'https://127.0.0.2/x', 'https://[::1]/x', 'https://simulator:8/x', 'https://fcm.googleapis.com/x']
  expect(named.filter((endpoint) => !isNamed(endpoint, rule))).toEqual([])
  expect(['https://made-up.example/x', 'https://10.0.0.1/x'].filter((endpoint) => isNamed(endpoint, rule))).toEqual([])
})
