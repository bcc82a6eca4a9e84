import './trusted-types.ts'
import './style/tokens.css'
import './style/base.css'
import './style/controls.css'
import './style/layout.css'
import './style/table.css'
import './style/pages.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { queryClient } from './api/api.ts'
import { LanguageProvider } from './language/language.tsx'
import { session } from './session/session.ts'
import { applyTheme } from './shell/theme.ts'
import { Toasts } from './ui/toasts.tsx'

applyTheme()
void session.resume()

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no place for the application')
createRoot(root).render(
  <StrictMode>
    <LanguageProvider>
      <QueryClientProvider client={queryClient}>
        <App />
        <Toasts />
      </QueryClientProvider>
    </LanguageProvider>
  </StrictMode>,
)
