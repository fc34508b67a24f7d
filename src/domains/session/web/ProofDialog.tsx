import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { factorErrors, factorEndpoints as session } from '../factorContract.ts'
import { CodeModal } from './CodeModal.tsx'

const { wrongFactor, wrongProof, proofShut } = factorErrors
const claims = [wrongFactor.name, wrongProof.name, proofShut.name, 'common.invalid']

/**
 * Password, or code where the second factor is on; the call that waited goes on when it is right.
 */
export function ProofDialog({ onAnswer }: { onAnswer: (given: boolean) => void }) {
  const { t } = useTranslation('web')
  const factor = useRead(session.factor, {}, { staleTime: 0 })
  const byCode = factor.data?.on ?? false
  const onSuccess = () => onAnswer(true)
  const prove = useWrite(session.prove, { claims, invalidates: [], onSuccess })
  return (
    <CodeModal
      id="proof"
      title={t('proof.title')}
      ok={t('proof.submit')}
      label={t(byCode ? 'proof.code' : 'proof.password')}
      password={!byCode}
      hint={byCode ? t('proof.codeHint') : undefined}
      ready={factor.data !== undefined}
      busy={prove.isPending}
      onSend={(text, onError) =>
        prove.mutate(byCode ? { code: text } : { password: text }, { onError })
      }
      onCancel={() => onAnswer(false)}
      over
    >
      <p>{t('proof.lead')}</p>
    </CodeModal>
  )
}
