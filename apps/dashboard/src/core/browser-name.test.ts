import { expect, test } from 'vitest'
import { browserName } from './browser-name.ts'

// spec: dashboard/sessions
test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36 Edg/139.0',
    'Edge on Windows',
  ],
  ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 Version/18.4 Mobile Safari/604.1', 'Safari on iPhone'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', 'Unknown'],
])('the browser %s is shown as "%s"', (userAgent, name) => expect(browserName(userAgent)).toBe(name))
