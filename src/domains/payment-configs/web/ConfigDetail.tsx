import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { Detail, Rows } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { Lead, Muted } from '../../../web/ui/Text.tsx'
import { paymentConfigs } from '../contract.ts'
import { secretNames, takesSecret } from '../rules.ts'
import { CertUntil, percentOf, SecretTail, tones } from './marks.tsx'
import { Steps } from './TestResult.tsx'

/** One merchant: its terms, its keys by their tails, and what its channel's console wants. */
export function ConfigDetail({ id, onClose, onPrevious, onNext }: DetailProps) {
  const { t } = useTranslation('paymentConfigs')
  const read = useRead(paymentConfigs.list, { id: Number(id) }, { inline: true })
  const addresses = useRead(paymentConfigs.addresses, {}, { staleTime: 60_000 })
  const row = read.data?.list[0]
  const list = addresses.data?.list ?? []
  const word = (key: string) => t(`fields.${key}`)
  return (
    <Detail
      open
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      title={row?.merchantName ?? ''}
      status={
        row ? (
          <StatusTag tone={tones[row.state]} chip>
            {t(`enums.state.${row.state}`)}
          </StatusTag>
        ) : null
      }
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
    >
      {row ? (
        <>
          <Rows
            items={[
              [word('operatorName'), row.operatorName],
              [word('provider'), t(`enums.provider.${row.provider}`)],
              [word('collectorKind'), t(`enums.collectorKind.${row.collectorKind}`)],
              [word('systemId'), row.systemId],
              [word('userName'), row.userName],
              [word('mchId'), row.mchId],
              [word('subMchId'), row.subMchId],
              [word('appId'), row.appId],
              [word('feeBp'), percentOf(row.feeBp)],
              [word('splitCapBp'), percentOf(row.splitCapBp)],
              [word('freezeDays'), row.freezeDays],
              [word('refundFeeReturned'), t(`web:bool.${row.refundFeeReturned}`)],
              [
                word('settleTail'),
                row.settleTail
                  ? `${row.settleBank} •••• ${row.settleTail} ${row.settleHolder}`
                  : '',
              ],
            ]}
          />
          <Rows
            title={word('keys')}
            items={[
              ...secretNames
                .filter((name) => takesSecret(row.provider, name))
                .map(
                  (name) =>
                    [
                      word(name),
                      <>
                        <SecretTail secret={row.keys[name]} />{' '}
                        <Muted small>
                          <Time at={row.keys[name].updatedAt} />
                        </Muted>
                      </>,
                    ] as const,
                ),
              [word('certSerial'), row.certSerial],
              [word('certUntil'), <CertUntil key="until" until={row.certUntil} />],
            ]}
          />
          {row.callbackUrl ? (
            <>
              <Lead>{t('copyHint')}</Lead>
              <Rows
                items={[
                  [
                    word('callbackUrl'),
                    <>
                      {row.callbackUrl} <CopyButton text={row.callbackUrl} />
                    </>,
                  ],
                  [word('addresses'), <Addresses key="addresses" list={list} />],
                ]}
              />
            </>
          ) : null}
          {row.testSteps.length ? (
            <>
              <Lead>
                {word('testSteps')} <Time at={row.testTime} style="full" />
              </Lead>
              <Steps steps={row.testSteps} />
            </>
          ) : null}
        </>
      ) : null}
    </Detail>
  )
}

function Addresses({ list }: { list: readonly string[] }) {
  const { t } = useTranslation('paymentConfigs')
  if (!list.length) return <Muted>{t('noAddresses')}</Muted>
  return (
    <>
      {list.join(', ')} <CopyButton text={list.join('\n')} />
    </>
  )
}
