import { expect, test } from 'vitest'
import { addressBucket, clientAddress, parseRanges, readTrustedProxies } from './client-address.ts'

const trusted = readTrustedProxies(undefined)!
const addressFor = (peer: string, forwardedFor?: string, realIp?: string) => clientAddress({ peer, forwardedFor, realIp }, trusted)

// spec: limits/client-address
test('behind a trusted proxy the client’s address is the first in x-forwarded-for, else x-real-ip, else the proxy’s own', () => {
  expect(addressFor('10.0.0.1', '203.0.113.5, 198.51.100.7', '192.0.2.1')).toBe('203.0.113.5')
  expect(addressFor('10.0.0.1', undefined, '192.0.2.1')).toBe('192.0.2.1')
  expect(addressFor('10.0.0.1')).toBe('10.0.0.1')
})

// spec: limits/client-address
test('address headers that no trusted proxy sent are not believed: the address of the connection counts', () => {
  expect(addressFor('198.51.100.9', '203.0.113.5', '192.0.2.1')).toBe('198.51.100.9')
  expect(addressFor('2001:db8::9', '203.0.113.5')).toBe('2001:db8::9')
})

// spec: limits/client-address
test.each([
  ['one proxy that appends', '10.0.0.1', '198.51.100.1, 203.0.113.5', '203.0.113.5'],
  ['two proxies that append', '10.0.0.1', '198.51.100.1, 203.0.113.5, 10.0.0.2', '203.0.113.5'],
  ['a client that invents trusted addresses', '10.0.0.1', '10.0.0.9, 10.0.0.8, 203.0.113.5', '203.0.113.5'],
  ['a client in the trusted range', '10.0.0.1', '10.0.0.9, 10.0.0.2', '10.0.0.9'],
  ['a proxy that writes no address', '10.0.0.1', '203.0.113.5, unknown', '192.0.2.1'],
  ['a client that invents no address', '10.0.0.1', 'unknown, 203.0.113.5', '203.0.113.5'],
  ['no header', '10.0.0.1', undefined, '192.0.2.1'],
  ['no trusted proxy', '198.51.100.9', '203.0.113.5', '198.51.100.9'],
  ['a hundred invented hops', '10.0.0.1', `${'10.0.0.3, '.repeat(100)}10.0.0.2`, '10.0.0.3'],
])('with TRUSTED_PROXIES the address is found from the right: %s', (_, peer, forwardedFor, address) => {
  expect(clientAddress({ peer, forwardedFor, realIp: '192.0.2.1' }, readTrustedProxies('10.0.0.0/8')!)).toBe(address)
})

test('behind a trusted proxy x-real-ip counts when the first entry of x-forwarded-for is no address', () => {
  for (const hop of ['unknown', '', '203.0.113.5.6', 'x'.repeat(10_000), '<script>', '999.1.1.1', '_hidden']) {
    expect(addressFor('127.0.0.1', hop, '192.0.2.1')).toBe('192.0.2.1')
  }
})

test.each([
  ['203.0.113.5:4711', '203.0.113.5'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:203.0.113.5', '203.0.113.5'],
  ['::FFFF:cb00:7105', '203.0.113.5'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  [' 203.0.113.5 ', '203.0.113.5'],
])('%j in x-forwarded-for is read as the address %s', (hop, address) => {
  expect(addressFor('127.0.0.1', hop)).toBe(address)
})

test('a trusted proxy with an IPv4 address is trusted also when that address comes in the form of IPv6', () => {
  expect(addressFor('::ffff:127.0.0.1', '203.0.113.5')).toBe('203.0.113.5')
  expect(addressFor('::1', '203.0.113.5')).toBe('203.0.113.5')
})

// spec: limits/client-address
test.each([
  ['203.0.113.5', '203.0.113.5'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['1::', '1:0:0:0::/64'],
  ['unknown', 'unknown'],
])('the rate limit counts requests from %s under %s', (address, bucket) => {
  expect(addressBucket(address)).toBe(bucket)
})

test.each(['10.0.0.0/33', '10.0.0.0/', 'example.org', '10.0.0.0/x', '::1/129', '10.0.0/8', '1.2.3.4/-1'])(
  'TRUSTED_PROXIES with %s is refused',
  (text) => {
    expect(parseRanges(`127.0.0.1, ${text}`)).toBeUndefined()
  },
)
