import { expect, test } from 'vitest'
import { isReachableSubject } from './push-subject.ts'

test.each<[subject: string, isReachable: boolean]>([
  ['mailto:ops@shop.example', true],
  ['https://shop.example/contact', true],
  ['mailto:ops@localhost', false],
  ['mailto:root@machine', false],
  ['mailto:ops@printer.local', false],
  ['mailto:ops@service.internal', false],
  ['mailto:ops@127.0.0.1', false],
  ['https://localhost/contact', false],
  ['https://10.0.0.1/', false],
  ['https://[::1]/', false],
])('by its form the VAPID subject %s can be reached by a push service: %s', (subject, isReachable) => {
  expect(isReachableSubject(subject)).toBe(isReachable)
})
