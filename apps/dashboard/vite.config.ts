import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { contractsInBrowser } from './contracts-in-browser.ts'

/**
 * The address of the Herald behind `npm run dashboard`. Vite forwards requests with the gateway's own origin, because the gateway refuses changes
 * from another origin.
 */
const { HERALD_URL = 'http://127.0.0.1:8080', DASHBOARD_PORT = '8119' } = process.env
const proxied = { target: HERALD_URL, changeOrigin: true, headers: { origin: new URL(HERALD_URL).origin } }

/**
 * Puts the styles behind the shell of index.html. A browser waits with its first paint for styles in the head; over a slow line that was a white page
 * for seconds.
 */
const shellFirst: Plugin = {
  name: 'shell-first',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const styles = [...html.matchAll(/\s*<link rel="stylesheet"[^>]*>/g)].map(([link]) => link)
      return styles.reduce((text, link) => text.replace(link, ''), html).replace(/(\s*)<noscript>/, `${styles.join('')}$1<noscript>`)
    },
  },
}

export default defineConfig({
  base: '/dashboard/',
  root: import.meta.dirname,
  plugins: [contractsInBrowser(`${import.meta.dirname}/src/browser`), react(), tailwindcss(), shellFirst],
  server: {
    host: '127.0.0.1',
    port: Number(DASHBOARD_PORT),
    strictPort: true,
    proxy: { '/v1': proxied, '/docs': proxied, '/sdk': proxied, '/openapi.json': proxied },
  },
  build: {
    outDir: 'dist',
    target: ['chrome120', 'firefox128', 'safari17'],
    // Vite must not inline files: the content security policy refuses scripts, styles and fonts in `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // A module goes into the group with the highest priority that matches it. What every page needs has a higher priority than what forms
            // need: the code for forms imports it, and would otherwise take it along.
            { name: 'base', test: /node_modules\/(react|react-dom|scheduler|@tanstack)\//, priority: 3 },
            { name: 'forms', test: /node_modules\/(react-hook-form|@hookform)\//, priority: 2 },
            { name: 'zod', test: /node_modules\/zod\//, priority: 2 },
            {
              name: 'radix',
              test: /node_modules\/(@radix-ui\/(?!react-dialog)|@floating-ui\/|radix-ui\/|react-remove-scroll|aria-hidden\/)/,
              priority: 3,
            },
            // Small components that nearly every page has are one file, which is loaded once. Large components stay with the pages that use them.
            { name: 'kit', test: /src\/ui\/(?!Chart|Combobox|Funnel)[A-Z]\w+\.tsx$/, priority: 1 },
            { name: 'cmdk', test: /node_modules\/cmdk\//, priority: 2 },
            { name: 'charts', test: /node_modules\/uplot\//, priority: 2 },
          ],
        },
      },
    },
  },
})
