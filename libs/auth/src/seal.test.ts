import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkSealKeys, openSealer, SealError } from './seal.ts'

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const one = entry('k1')
const context = 'gateway.provider_credentials/private_key/row-1/app-1'

test('a sealed value opens as the same bytes in the context it was sealed for', () => {
  const sealer = openSealer(one)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.string(), (plain, place) => {
      expect(sealer.open(sealer.seal(Buffer.from(plain), place), place)).toEqual(Buffer.from(plain))
    }),
  )
  expect(sealer.open(sealer.seal('text é', context), context).toString()).toBe('text é')
})

// spec: administration/credentials-sealed
test('a sealed value that is copied to another row or another app does not open', () => {
  const sealer = openSealer(one)
  const sealed = sealer.seal('secret', context)
  for (const other of ['', `${context} `, context.replace('row-1', 'row-2'), context.replace('app-1', 'app-2')])
    expect(() => sealer.open(sealed, other)).toThrow(SealError)
})

test('a sealed value with a changed byte, a missing part or a character too many does not open', () => {
  const sealer = openSealer(one)
  const sealed = sealer.seal('secret', context)
  const [id, body = ''] = sealed.split('.')
  const bytes = Buffer.from(body, 'base64url')
  for (let place = 0; place < bytes.length; place++) {
    const changed = Buffer.from(bytes)
    changed[place] = changed[place]! ^ 1
    expect(() => sealer.open(`${id}.${changed.toString('base64url')}`, context)).toThrow(SealError)
  }
  for (const wrong of ['', 'k1.', 'k1.AAAA', `k2.${body}`, `${sealed}A`, body, sealed.slice(0, -2)])
    expect(() => sealer.open(wrong, context)).toThrow(SealError)
})

test('the same text sealed a hundred times gives a hundred different values', () => {
  const sealer = openSealer(one)
  expect(new Set(Array.from({ length: 100 }, () => sealer.seal('same', context))).size).toBe(100)
})

// spec: administration/seal-keys
test('a value is sealed with the first of the SEAL_KEYS and opens with any; without its key it does not', () => {
  const old = openSealer(one)
  const two = entry('k2')
  const rotated = openSealer(`${two}, ${one}`)
  const sealed = old.seal('secret', context)
  expect(rotated.open(sealed, context).toString()).toBe('secret')
  expect(rotated.isCurrent(sealed)).toBe(false)
  expect(rotated.isCurrent(rotated.seal('secret', context))).toBe(true)
  expect(() => openSealer(two).open(sealed, context)).toThrow(/k1/)
})

test('wrong SEAL_KEYS are refused; the error names a wrong entry by its position and does not quote the key', () => {
  const short = randomBytes(16).toString('base64')
  for (const wrong of ['', 'k1', `k1:${short}`, `${one},`, `${one},${one}`, ':abc', `bad id:${short}`])
    expect(() => openSealer(wrong)).toThrow(SealError)
  expect(() => openSealer(`${one},k2:${short}`)).toThrow(/^entry 2 of SEAL_KEYS/)
  expect(() => openSealer(`k1:${short}`)).not.toThrow(short)
})

test('the check of a service’s settings reports what is wrong with SEAL_KEYS, and accepts a right list', () => {
  const problems: string[] = []
  checkSealKeys(one, { addIssue: (problem) => problems.push(problem) })
  checkSealKeys(`${one},k2`, { addIssue: (problem) => problems.push(problem) })
  expect(problems).toEqual(['entry 2 of SEAL_KEYS must be <id>:<base64 of 32 bytes>'])
})
