import type { MessageInstance } from 'antd/es/message/interface'

/** antd's message belongs to the App component (theme, language); the query client reaches it here. */
let holder: MessageInstance | null = null
let last = { text: '', at: 0 }

export const holdMessage = (instance: MessageInstance): void => {
  holder = instance
}

/** The same text within two seconds is one event seen by several calls. */
export function toast(kind: 'success' | 'error' | 'info' | 'warning', text: string): void {
  const now = Date.now()
  if (text === last.text && now - last.at < 2000) return
  last = { text, at: now }
  void holder?.[kind](text)
}
