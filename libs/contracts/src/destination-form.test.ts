import { expect, test } from 'vitest'
import { destinationFormProblem, isLocalName } from './destination-form.ts'

// spec: webhooks/url-at-save
test.each<[destination: string, problem: string | undefined]>([
  ['https://shop.example/hooks', undefined],
  ['https://[2001:db8::1]:8443/hooks', undefined],
  ['http://shop.example/hooks', 'must be an https URL'],
  ['shop.example/hooks', 'must be an https URL'],
  ['https://', 'must be an https URL'],
  ['https://ops:secret@shop.example/', 'must not hold credentials'],
  ['https://ops@shop.example/', 'must not hold credentials'],
])('the address %s, checked without looking up its host, has the mistake: %s (undefined: none)', (destination, problem) => {
  expect(destinationFormProblem(destination)).toBe(problem)
})

test.each(['localhost', 'shop.localhost', 'localhost.localdomain', 'ip6-loopback'])('%s is a name of this machine', (host) => {
  expect(isLocalName(host)).toBe(true)
})

test.each(['shop.example', 'localhost.example', 'mylocalhost'])('%s is no name of this machine', (host) => {
  expect(isLocalName(host)).toBe(false)
})
