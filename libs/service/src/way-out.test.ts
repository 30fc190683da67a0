import { expect, test } from 'vitest'
import { openWayOut } from './way-out.ts'

const HTTPS_PROXY = 'http://proxy.example:3128'
const isProxied = (NO_PROXY: string, host: string, port = 443) => openWayOut({ HTTPS_PROXY, NO_PROXY }).isProxied({ host, port })

// spec: running/no-proxy
test.each<[list: string, direct: string[], proxied: string[]]>([
  ['', [], ['push.example', '10.0.0.1', '2001:db8::1']],
  ['*', ['push.example', '10.0.0.1', '2001:db8::1'], []],
  ['push.example', ['push.example', 'PUSH.example.', 'api.push.example'], ['notpush.example', 'push.example.org', 'example']],
  ['.push.example', ['push.example', 'api.push.example'], ['notpush.example']],
  ['*.push.example', ['api.push.example'], ['notpush.example']],
  ['Push.Example.', ['push.example'], []],
  ['a.example,  b.example c.example', ['a.example', 'b.example', 'c.example'], ['d.example']],
  [',,', [], ['push.example']],
  ['10.1.2.3', ['10.1.2.3'], ['10.1.2.4', '110.1.2.3', 'a.10.1.2.3']],
  ['10.0.0.0/8,192.168.4.0/22', ['10.255.0.1', '192.168.7.255'], ['11.0.0.1', '192.168.8.0', '10.example']],
  ['10.0.0.0/33,10.0.0.0/x', [], ['10.0.0.1']],
  ['2001:db8::/32', ['2001:db8::1', '[2001:db8:0:0::2]'], ['2001:db9::1']],
  ['[2001:db8::1]', ['2001:db8::1', '2001:db8:0::1'], ['2001:db8::2']],
])('with NO_PROXY=%s %j are reached directly and %j through the proxy', (list, direct, proxied) => {
  expect(direct.filter((host) => isProxied(list, host))).toEqual([])
  expect(proxied.filter((host) => !isProxied(list, host))).toEqual([])
})

// spec: running/no-proxy
test.each([
  ['push.example:8443', 'push.example'],
  ['10.0.0.1:8443', '10.0.0.1'],
  ['[2001:db8::1]:8443', '2001:db8::1'],
  ['*:8443', 'push.example'],
  ['10.0.0.0/8:8443', '10.1.2.3'],
  ['[2001:db8::]/32:8443', '2001:db8::1'],
  ['[2001:db8::/32]:8443', '2001:db8::1'],
  ['2001:db8::/32:8443', '2001:db8::1'],
  ['10.0.0.0/8:80,10.0.0.0/8:8443', '10.1.2.3'],
])('an entry with a port, %s, holds for that port alone', (list, host) => {
  expect([isProxied(list, host, 8443), isProxied(list, host, 443)]).toEqual([false, true])
})

// spec: running/no-proxy
test.each(['localhost', 'app.localhost', '127.0.0.1', '127.8.9.1', '::1', '[::1]'])('%s is always reached directly', (host) => {
  expect(isProxied('', host)).toBe(false)
})

test('without HTTPS_PROXY every host is reached directly', () => {
  expect(openWayOut({ NO_PROXY: '' }).isProxied({ host: 'push.example', port: 443 })).toBe(false)
})
