import { useEffect, useState } from 'react'
import type { Output } from '../../../shared/contract.ts'
import { call } from '../../../web/call.ts'
import { session } from '../contract.ts'

type Methods = Output<typeof session.methods>
let known: Methods | undefined

/** Which ways are set up on this server; undefined until it answered. */
export function useMethods(): Methods | undefined {
  const [methods, setMethods] = useState(known)
  useEffect(() => {
    if (known) return
    void call(session.methods, {}, { signIn: true }).then(
      (found) => {
        known = found
        setMethods(found)
      },
      () => undefined,
    )
  }, [])
  return methods
}
