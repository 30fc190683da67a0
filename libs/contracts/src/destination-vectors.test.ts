import { expect, test } from 'vitest'
import { destinationProblem } from './destination.ts'

const guarded = (url: string) => destinationProblem(url, { allowPrivate: false })

/**
 * Writes an IPv4 address in many spellings that a URL parser accepts: as one number, hexadecimal, octal, shortened, mixed, full-width, with other
 * dots and escapes, and inside IPv6 addresses.
 */
const spellingsOf = ([a, b, c, d]: [number, number, number, number]): string[] => {
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (part: number) => `0x${part.toString(16)}`
  const octal = (part: number) => `0${part.toString(8).padStart(3, '0')}`
  const fullWidth = (text: string) => text.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
  const dotted = `${a}.${b}.${c}.${d}`
  const tail = [c, d].map((part) => part.toString(16).padStart(2, '0')).join('')
  const head = [a, b].map((part) => part.toString(16).padStart(2, '0')).join('')
  return [
    dotted,
    `${dotted}.`,
    String(whole),
    hex(whole),
    hex(whole).toUpperCase().replace('0X', '0x'),
    `0${whole.toString(8)}`,
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map(octal).join('.'),
    `${a}.${hex(b)}.${octal(c)}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    fullWidth(dotted),
    dotted.replaceAll('.', '\u3002'),
    dotted.replaceAll('.', '\uff0e'),
    dotted.replaceAll('.', '%2e'),
    encodeURIComponent(fullWidth(dotted)),
    `[::ffff:${dotted}]`,
    `[::ffff:${head}:${tail}]`,
    `[0:0:0:0:0:ffff:${head}:${tail}]`,
    `[::${dotted}]`,
    `[::ffff:0:${dotted}]`,
    `[::ffff:0:${head}:${tail}]`,
    `[64:ff9b::${dotted}]`,
    `[64:ff9b::${head}:${tail}]`,
    `[64:ff9b:1::${head}:${tail}]`,
    `[2002:${head}:${tail}::]`,
    `[2002:${head}:${tail}::1]`,
    `[2001:0:${head}:${tail}::1]`,
  ]
}

const places: [what: string, address: [number, number, number, number]][] = [
  ['loopback', [127, 0, 0, 1]],
  ['metadata', [169, 254, 169, 254]],
  ['private 10/8', [10, 0, 0, 1]],
  ['private 172.16/12', [172, 16, 0, 1]],
  ['private 192.168/16', [192, 168, 1, 1]],
  ['carrier-grade NAT and a cloud’s metadata', [100, 100, 100, 200]],
  ['this network', [0, 0, 0, 0]],
]

test.each(places.flatMap(([what, address]) => spellingsOf(address).map((host) => [host, what])))(
  'Herald does not post to https://%s/: %s',
  (host) => {
    expect(guarded(`https://${host}/hook`)).toBeDefined()
    expect(guarded(`https://${host}:8443/hook`)).toBeDefined()
  },
)

test.each([
  'https://localhost/',
  'https://LOCALHOST/',
  'https://localhost./',
  'https://localhost:8443/',
  'https://app.localhost/',
  'https://localhost.localdomain/',
  'https://localhost6.localdomain6/',
  'https://ip6-localhost/',
  'https://ip6-loopback/',
  'https://ｌｏｃａｌｈｏｓｔ/',
  'https://%6c%6f%63alhost/',
  'https://127.1/',
  'https://127.0.1/',
  'https://0/',
  'https://0x0/',
  'https://[::]/',
  'https://[::1]/',
  'https://[0000:0000:0000:0000:0000:0000:0000:0001]/',
  'https://[fc00::1]/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  'https://[2001:db8::1]/',
  'https://[3fff::1]/',
  'https://[5f00::1]/',
  'https://[100::1]/',
  'https://192.0.0.192/',
  'https://192.0.2.1/',
  'https://198.18.0.1/',
  'https://198.51.100.1/',
  'https://203.0.113.1/',
  'https://224.0.0.1/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  'https://192.88.99.1/',
])('Herald does not post to %s', (url) => {
  expect(guarded(url)).toBeDefined()
})

test.each([
  'http://receiver.example/',
  'HTTP://receiver.example/',
  'ftp://receiver.example/',
  'file:///etc/passwd',
  'gopher://receiver.example/',
  'unix:/var/run/docker.sock',
  'data:text/plain,x',
  'javascript:alert(1)',
  'ws://receiver.example/',
  'wss://receiver.example/',
  'https://user@receiver.example/',
  'https://:secret@receiver.example/',
  'https://user:secret@receiver.example/',
  'https://receiver.example@127.0.0.1/',
  'https://127.0.0.1@receiver.example/',
  'https://',
  'https://1.2.3.4.5/',
  'https://256.1.1.1/',
  'https://[::1/',
  'https://a b/',
  '//receiver.example/',
  'receiver.example',
  '',
])('Herald does not post to %s, not even when private addresses are allowed', (url) => {
  expect(destinationProblem(url, { allowPrivate: true })).toBeDefined()
  expect(guarded(url)).toBeDefined()
})

test.each([
  'https://receiver.example/hook',
  'https://receiver.example:8443/hook?a=b#c',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
  'https://localhost.example/',
  'https://notlocalhost/',
  'https://xn--bcher-kva.example/',
])('Herald may post to %s', (url) => {
  expect(guarded(url)).toBeUndefined()
})
