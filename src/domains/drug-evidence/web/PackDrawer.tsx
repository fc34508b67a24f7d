import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { download } from '../../../web/download.ts'
import type { DetailProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { formatBytes, formatCount } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { Lines, Part } from '../../../web/ui/Sheet.tsx'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { drugEvidence, isPackNo, packTones } from '../contract.ts'

const columns = 'minmax(0, 1.2fr) minmax(0, 1fr) minmax(96px, auto)'
const whole = { overflowWrap: 'anywhere' } as const

/** A package beside its list: what is in it, who had it, and whether it is what was signed. */
export function PackDrawer({ id, ...steps }: DetailProps) {
  const { t } = useTranslation('drugEvidence')
  const no = isPackNo(id) ? id : ''
  const read = useRead(drugEvidence.get, { no }, { inline: true, enabled: no !== '' })
  const verify = useRead(drugEvidence.verify, { no }, { inline: true, enabled: false })
  useLive('drug-evidence', [drugEvidence.get.path])
  const pack = no ? read.data : undefined
  const verdict = verify.data
  return (
    <Detail
      open={no !== ''}
      {...steps}
      title={pack?.no ?? ''}
      status={
        pack ? (
          <StatusTag chip tone={packTones[pack.state]}>
            {t(`enums.state.${pack.state}`)}
          </StatusTag>
        ) : null
      }
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={
        pack?.state === 'DONE' ? (
          <>
            <Button loading={verify.isFetching} onClick={() => void verify.refetch()}>
              {t('verify')}
            </Button>
            {pack.can.download ? (
              <Button
                type="primary"
                onClick={() => void download(`/api/drug-evidence-packs/${pack.no}/file`)}
              >
                {t('download')}
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      {verdict ? (
        <Alert
          type={verdict.ok ? 'success' : 'error'}
          showIcon
          title={
            verdict.ok
              ? t('verified')
              : [
                  verdict.fileOk ? '' : t('fileBroken'),
                  verdict.signatureOk ? '' : t('signatureBroken'),
                ]
                  .filter(Boolean)
                  .join(' · ')
          }
        />
      ) : verify.error ? (
        <Alert type="error" showIcon title={verify.error.message} />
      ) : null}
      {pack ? (
        <>
          <Rows
            items={[
              [t('fields.about'), pack.about],
              [t('fields.devices'), pack.devices],
              [t('fields.from'), pack.from],
              [t('fields.to'), pack.to],
              [t('fields.dataAsOf'), <Time key="asOf" at={pack.dataAsOf} style="full" />],
              [t('fields.userName'), `${pack.userName} · ${pack.orgName}`],
              [t('fields.rows'), pack.rows === null ? '' : formatCount(pack.rows)],
              [t('fields.fileBytes'), pack.fileBytes === null ? '' : formatBytes(pack.fileBytes)],
              [t('fields.expiresAt'), <Time key="expires" at={pack.expiresAt} />],
              ...(pack.error
                ? [[t('fields.error'), <Bad key="error">{pack.error}</Bad>] as const]
                : []),
              [
                t('fields.sha256'),
                <code key="sum" style={whole}>
                  {pack.sha256}
                </code>,
              ],
              [
                t('fields.logHead'),
                <code key="head" style={whole}>
                  {pack.logSeq} {pack.logHash}
                </code>,
              ],
              [
                t('fields.publicKey'),
                <code key="key" style={whole}>
                  {pack.publicKey}
                </code>,
              ],
            ]}
          />
          {pack.files.length ? (
            <Part title={t('files')}>
              <Lines columns={columns}>
                {pack.files.map((file) => (
                  <li key={file.name}>
                    <span>{file.name}</span>
                    <Muted>{file.sha256.slice(0, 16)}…</Muted>
                    <span>{t('fileRows', { n: formatCount(file.rows) })}</span>
                  </li>
                ))}
              </Lines>
            </Part>
          ) : null}
          <Part title={t('accesses')}>
            <Lines columns={columns}>
              {pack.accesses.map((access, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: what happened keeps its place
                <li key={index}>
                  <span>{access.userName}</span>
                  <Muted>{t(`enums.what.${access.what}`)}</Muted>
                  <Time at={access.at} />
                </li>
              ))}
            </Lines>
          </Part>
        </>
      ) : null}
    </Detail>
  )
}
