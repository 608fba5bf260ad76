// What signers share: spelling digests, forms.
import { createHash, createHmac } from 'node:crypto';

/** HMAC of the parts, one behind the other. enc: hex, base64, base64url, or undefined for bytes. */
export function hmac(algorithm, key, enc, ...parts) {
  const mac = createHmac(algorithm, key);
  for (const part of parts) mac.update(part);
  return mac.digest(enc);
}

/** A plain digest of the parts. */
export function digest(algorithm, enc, ...parts) {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest(enc);
}

/** application/x-www-form-urlencoded text of [[name, value], …] or an object. */
export function form(fields) {
  return new URLSearchParams(fields).toString();
}

export const JSON_TYPE = { 'content-type': 'application/json' };
export const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
