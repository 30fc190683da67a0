import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queryClient.ts'
import { router } from './routes.tsx'
import { takeCode } from './session/sign-in-code.ts'
import { followTheme } from './shell/preferences.ts'

// The sign-in code leaves the address before anything else happens, so that nobody copies it with the address and the browser's history lacks it.
takeCode()
followTheme()

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element #root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
