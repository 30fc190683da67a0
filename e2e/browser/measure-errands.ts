// `npm run measure:errands` does the ten errands of errands.ts with a mouse at a person's pace, and prints what each costs. It fails for no number.
import { freshDataDir, removeDataDir, startHerald } from '@herald/testing/herald'
import { chromium } from 'playwright-core'
import { browserPath } from './browser-path.ts'
import { hidesScrollbars } from './browsers.ts'
import { signInLink } from './dashboard.ts'
import { errands, givenShop } from './errands.ts'
import { withMouse } from './person.ts'

const dataDir = freshDataDir()
const herald = await startHerald({ dataDir, env: { HERALD_PROCESSES: '1' } })
const browser = await chromium.launch({
  executablePath: browserPath('chromium'),
  chromiumSandbox: false,
  ignoreDefaultArgs: hidesScrollbars,
  args: ['--disable-gpu'],
})
try {
  const shop = await givenShop(herald)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await page.goto(await signInLink(herald, 'Dana'))
  await page.getByRole('navigation').first().waitFor()
  const all = { clicks: 0, fields: 0, characters: 0, seconds: 0 }
  for (const { name, run } of errands) {
    await page.goto(`${herald.baseUrl}/dashboard/apps/${shop.tenant.appId}/overview`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const me = withMouse(page, true)
    const begun = performance.now()
    const isDone = await run(shop, page, me)
    const seconds = Math.round((performance.now() - begun) / 1_000)
    const { clicks, fields, characters } = me.effort
    console.log(`${name}: ${isDone ? 'done' : 'NOT DONE'}, ${clicks} clicks, ${fields} fields, ${characters} characters, ${seconds} s`)
    all.clicks += clicks
    all.fields += fields
    all.characters += characters
    all.seconds += seconds
  }
  console.log(`all: ${JSON.stringify(all)}`)
} finally {
  await browser.close()
  await herald.stop()
  removeDataDir(dataDir)
}
