import type { BrowserCommand } from 'vitest/node'

export type Media = { reducedMotion?: 'reduce' | 'no-preference'; colorScheme?: 'light' | 'dark' }

/** What a person's system asks of every page. */
export const media: BrowserCommand<[wanted: Media]> = ({ page }, wanted) =>
  page.emulateMedia(wanted)

declare module 'vitest/browser' {
  interface BrowserCommands {
    media(wanted: Media): Promise<void>
  }
}
