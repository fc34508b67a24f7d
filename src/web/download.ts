import { basePath } from './base.ts'
import { translate } from './i18n.ts'
import { prefs } from './prefs.ts'
import { toast } from './toast.ts'
import { token } from './token.ts'

/** A file behind the token: a plain link could not carry it. Failures are shown here, once. */
export async function download(path: string, file?: Blob): Promise<void> {
  try {
    const body = file ? new FormData() : null
    if (body && file) body.set('file', file)
    const headers = { Authorization: token() ?? '', 'Accept-Language': prefs().lang }
    const response = await fetch(basePath() + path.replace(/^\//, ''), {
      method: body ? 'POST' : 'GET',
      headers,
      body,
    })
    if (!response.ok) {
      const { message } = (await response.json().catch(() => ({}))) as { message?: string }
      toast('error', message ?? translate('error.unexpected'))
      return
    }
    save(await response.blob(), nameOf(response))
  } catch {
    toast('error', translate('error.network'))
  }
}

const nameOf = (response: Response): string =>
  decodeURIComponent(
    /filename\*=UTF-8''([^;\s]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1] ??
      'download.xlsx',
  )

/** Hands a file made here to the browser. */
export function save(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // the browser has to have begun reading
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
