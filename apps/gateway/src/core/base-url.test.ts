import { expect, test } from 'vitest'
import { baseUrlOf } from './base-url.ts'

const asked = (headers: Record<string, string>) => (name: string) => headers[name]

// spec: administration/system
test('the base URL is the one that the operator has set, else the address that the request was sent to', () => {
  expect(baseUrlOf('https://push.shop.example/', asked({ host: '127.0.0.1:8080' }))).toBe('https://push.shop.example')
  expect(baseUrlOf(undefined, asked({ host: '127.0.0.1:8080' }))).toBe('http://127.0.0.1:8080')
  expect(baseUrlOf(undefined, asked({ host: '[::1]:8080' }))).toBe('http://[::1]:8080')
  expect(baseUrlOf(undefined, asked({ host: 'push.shop.example', 'x-forwarded-proto': 'https' }))).toBe('https://push.shop.example')
})

test('a request without a valid host has no base URL', () => {
  expect(baseUrlOf(undefined, asked({}))).toBeNull()
  expect(baseUrlOf(undefined, asked({ host: 'a host/<script>' }))).toBeNull()
})
