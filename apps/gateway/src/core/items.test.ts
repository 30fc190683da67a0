import { fault, invalidField, notFound } from '@herald/contracts/fault'
import { expect, test } from 'vitest'
import { refusedItem } from './items.ts'

test('a refused item of a batch names its wrong fields by their path, in the message too', () => {
  expect(refusedItem('users', 3, invalidField('tags', 'must be an object'))).toEqual({
    index: 3,
    status: 422,
    error: {
      code: 'invalid_body',
      message: 'users.3.tags must be an object',
      details: [{ path: 'users.3.tags', message: 'must be an object' }],
    },
  })
  expect(refusedItem('users', 0, invalidField('', 'must be an object')).error).toMatchObject({
    message: 'users.0 must be an object',
    details: [{ path: 'users.0' }],
  })
  const several = fault('invalid_body', 'a is required (and 1 more)', [
    { path: 'a', message: 'is required' },
    { path: 'b', message: 'is required' },
  ])
  expect(refusedItem('notifications', 12, several).error).toMatchObject({
    message: 'notifications.12.a is required (and 1 more)',
    details: [{ path: 'notifications.12.a' }, { path: 'notifications.12.b' }],
  })
})

test('a refused item of a batch that has no wrong field keeps the message of its error', () => {
  expect(refusedItem('users', 1, notFound())).toEqual({ index: 1, status: 404, error: { code: 'not_found', message: 'Not found.' } })
})
