import { expect } from 'vitest'
import type { Told } from './ask.ts'

/** Expects that a request was refused with a 4xx in the common shape of errors. */
export function expectRefused(told: Told, what: string): void {
  expect([what, told.status >= 400 && told.status < 500, told.status]).toEqual([what, true, told.status])
  expect(Object.keys(told.body)).toEqual(['error'])
  expect(told.body.error?.code).toMatch(/^[a-z_]+$/)
  expect(told.headers['x-request-id']).toBeTruthy()
  expect(told.headers['x-content-type-options']).toBe('nosniff')
}
