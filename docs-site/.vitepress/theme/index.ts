import DefaultTheme from 'vitepress/theme'
import type { Theme } from 'vitepress'
import TryIt from './TryIt.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('TryIt', TryIt),
} satisfies Theme
