import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { openAudience } from '../../testing/rig.ts'
import { lockCircuits, lockOpenCircuits, nameOfCircuit, writeCircuits } from './circuits.ts'

const { db } = await openAudience()

test('a take of batches locks the open circuits of its apps and platforms, and no others, so that it does not wait for other apps', async () => {
  const [app, other] = [newId(), newId()]
  const keys = [app, other].flatMap((appId) =>
    (['ios', 'android'] as const).map((platform) => ({ appId, platform, environment: 'production' as const })),
  )
  const [first, ...rest] = await lockCircuits(db, keys)
  const open = (circuit: typeof first) => ({ ...circuit!, state: 'open' as const, code: 'credentials_invalid' as const, since: new Date() })
  await writeCircuits(db, [...rest.map(open), { ...first!, state: 'closed' }])

  const asked = [
    { appId: app, platform: 'ios' as const },
    { appId: app, platform: 'android' as const },
  ]
  const locked = await lockOpenCircuits(db, asked)
  expect(locked.map(nameOfCircuit)).toEqual(
    keys
      .slice(0, 2)
      .map(nameOfCircuit)
      .filter((name) => name !== nameOfCircuit(first!)),
  )
})
