import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The platform behind `npm run dashboard`. A token in the environment stands in for a session, so that a page can be worked on without signing in. */
const { HERALD_URL = 'http://127.0.0.1:8080', HERALD_TOKEN, DASHBOARD_PORT = '8119' } = process.env
const proxied = {
  target: HERALD_URL,
  headers: HERALD_TOKEN === undefined ? {} : { authorization: `Bearer ${HERALD_TOKEN}` },
}

// What stands in for parts of Node in a browser, by the name that is imported.
const aliases = {}

export default defineConfig({
  base: '/dashboard/',
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  resolve: { alias: aliases },
  server: {
    host: '127.0.0.1',
    port: Number(DASHBOARD_PORT),
    strictPort: true,
    proxy: { '/v1': proxied, '/docs': proxied, '/sdk': proxied, '/openapi.json': proxied },
  },
  build: {
    outDir: 'dist',
    // light enough to be read, and nothing that the content security policy refuses: no inlined scripts, styles or fonts.
    target: ['chrome120', 'firefox128', 'safari17'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
  },
})
