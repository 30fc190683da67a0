import { beforeAll, expect, test } from 'vitest'
import { startPlatform } from '../platform.ts'
import { barriersOf, openDashboard, untilShown, type Dashboard } from './dashboard.ts'
import { errands, givenShop, type Shop } from './errands.ts'
import { withKeyboard } from './person.ts'

// Ten errands of an operator, each from the overview of an app, with the keyboard alone. `npm run measure:errands` counts what they cost with a mouse.

let shop: Shop
let open: Dashboard['open']
beforeAll(async () => {
  const herald = await startPlatform()
  shop = await givenShop(herald)
  ;({ open } = await openDashboard(herald, shop.tenant))
})

// An errand is up to ten steps, before each of which axe looks at the page: on a busy machine that takes minutes.
// spec: dashboard/errands
test.each(errands)(
  'with the keyboard alone an operator does this errand from the overview, on accessible pages: $name',
  async (errand) => {
    const { page, watched } = await open('/overview')
    await untilShown(page)
    const barriers: string[] = []
    const me = withKeyboard(page)
    const press: typeof me.press = async (target) => {
      await target.waitFor()
      barriers.push(...(await barriersOf(page)))
      await me.press(target)
    }
    expect(await errand.run(shop, page, { ...me, press })).toBe(true)
    await untilShown(page)
    barriers.push(...(await barriersOf(page)))
    expect({ barriers, faults: watched.faults }).toEqual({ barriers: [], faults: [] })
  },
  300_000,
)
