import { withClient } from './catalogue.ts'

/**
 * Connects once, so that a wrong address is told by the name of its setting and not by a socket's
 * error.
 */
export async function reach(variable: string, url: string): Promise<void> {
  const { host, pathname, username } = new URL(url)
  try {
    await withClient(url, (client) => client.query('select 1'))
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string }
    // coming up: whoever opens it waits
    if (code === '57P03') return
    throw new Error(
      `${variable} does not lead to a database (${username}@${host}${pathname}): ${message || code}.`,
      { cause: error },
    )
  }
}
