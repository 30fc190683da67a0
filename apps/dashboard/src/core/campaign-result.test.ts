import { expect, test } from 'vitest'
import { resultOf } from './campaign-result.ts'

// spec: dashboard/status-by-result
test.each([
  [{ queued: 372, sent: 0, failed: 372 }, 'bad', 'All failed'],
  [{ queued: 372, sent: 0, failed: 1 }, 'bad', 'None sent'],
  [{ queued: 100, sent: 0, failed: 0 }, 'warning', 'All skipped'],
  [{ queued: 100, sent: 49, failed: 0 }, 'warning', 'Sent, 51 % skipped'],
  [{ queued: 100, sent: 50, failed: 0 }, 'good', 'Sent'],
  [{ queued: 0, sent: 0, failed: 0 }, 'off', 'No recipients'],
  [{ queued: 100, sent: 88, failed: 12 }, 'warning', 'Sent, 12 % failed'],
  [{ queued: 100, sent: 96, failed: 4 }, 'good', 'Sent'],
] as const)('a send that has ended with %o is shown as %s: %s', (stats, kind, word) => {
  expect(resultOf({ status: 'sent', stats })).toEqual({ kind, word })
})

test('a campaign that has not ended is shown by its status, and by its cancel while one is under way', () => {
  const stats = { queued: 10, sent: 0, failed: 10 }
  expect(resultOf({ status: 'sending', stats })).toEqual({ kind: 'busy', word: 'Sending' })
  expect(resultOf({ status: 'draft', approval: { askedBy: 'Dana' }, stats })).toEqual({ kind: 'warning', word: 'Pending approval' })
  expect(resultOf({ status: 'sending', cancelling: true, stats })).toEqual({ kind: 'busy', word: 'Cancelling' })
})
