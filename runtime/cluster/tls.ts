// TLS of a cluster: certificates that are given, or made for it by openssl and gone with it.
import { execFileSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ActorsError } from "../core/errors.js";

/** Paths of PEM files: a certificate that names the address at which nats-server listens, its key, who signed it. */
export interface TlsFiles {
  cert: string;
  key: string;
  ca: string;
}

const days = 365;
const opensslMs = 10_000;

/**
 * Checked files, or new ones of a CA of their own, whose key is not kept.
 * @param dir for the new ones, for this user alone
 * @throws ActorsError INVALID_ARGUMENT that names the file, NOT_FOUND when there is no openssl
 */
export function readyTls(wanted: true | TlsFiles, dir: string, host: string): TlsFiles {
  if (wanted === true) return makeTls(dir, host);
  checkTls(wanted, host);
  return wanted;
}

function checkTls({ cert, key, ca }: TlsFiles, host: string): void {
  const own = certificate(cert);
  const signer = certificate(ca);
  const hint = "cluster.tls takes cert, key and ca: PEM files, or true for certificates of its own.";
  const bad = (why: string) => new ActorsError("INVALID_ARGUMENT", why, { hint });
  if (Date.parse(own.validTo) < Date.now()) throw bad(`the certificate ${cert} was valid until ${own.validTo}`);
  if (!own.checkIP(host)) throw bad(`the certificate ${cert} does not name the address ${host}`);
  let fits: boolean;
  try {
    fits = own.checkPrivateKey(createPrivateKey(read(key)));
  } catch (cause) {
    throw new ActorsError("INVALID_ARGUMENT", `${key} is no private key: ${(cause as Error).message}`, { cause, hint });
  }
  if (!fits) throw bad(`the key ${key} is not that of the certificate ${cert}`);
  const single = read(cert).split("BEGIN CERTIFICATE").length === 2; // else those between come with it
  if (single && !own.verify(signer.publicKey)) throw bad(`the certificate ${cert} was not signed by ${ca}`);
}

function certificate(path: string): X509Certificate {
  const text = read(path);
  try {
    return new X509Certificate(text);
  } catch (cause) {
    throw new ActorsError("INVALID_ARGUMENT", `${path} is no certificate in PEM`, { cause });
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ActorsError("INVALID_ARGUMENT", `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
}

function makeTls(dir: string, host: string): TlsFiles {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const at = (name: string) => join(dir, name);
  const [config, caKey, request] = [at("openssl.conf"), at("ca.key"), at("server.csr")];
  const files = { cert: at("server.crt"), key: at("server.key"), ca: at("ca.crt") };
  const names = [...new Set([host, "127.0.0.1"])].map((address) => `IP:${address}`);
  const lines = [
    "[req]\nprompt = no\ndistinguished_name = name\n[name]\nCN = actors",
    "[ca]\nbasicConstraints = critical, CA:TRUE\nkeyUsage = critical, keyCertSign",
    "[server]\nbasicConstraints = CA:FALSE\nextendedKeyUsage = serverAuth, clientAuth", // a route has both ends
    `subjectAltName = ${names.join(", ")}\n`,
  ];
  writeFileSync(config, lines.join("\n"), { mode: 0o600 });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const until = ["-days", String(days)];
  openssl("req", "-x509", "-config", config, "-extensions", "ca", ...key, "-keyout", caKey, "-out", files.ca, ...until);
  openssl("req", "-new", "-config", config, "-subj", "/CN=nats", ...key, "-keyout", files.key, "-out", request);
  const sign = ["-CA", files.ca, "-CAkey", caKey, "-set_serial", "2", "-extfile", config, "-extensions", "server"];
  openssl("x509", "-req", "-in", request, ...sign, "-out", files.cert, ...until);
  for (const path of [caKey, request, config]) rmSync(path);
  return files;
}

function openssl(...args: string[]): void {
  try {
    execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"], timeout: opensslMs });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const hint = "Install openssl, or name your own files: cluster.tls: { cert, key, ca }.";
    if (code === "ENOENT") throw new ActorsError("NOT_FOUND", "there is no openssl to make certificates", { hint });
    throw new ActorsError("UNAVAILABLE", `openssl made no certificate: ${message.trim()}`, { cause, hint });
  }
}

/** The part of nats-server's configuration for clients, or with `verify` for routes, whose both ends show it. */
export function tlsText({ cert, key, ca }: TlsFiles, verify: boolean): string {
  const files = Object.entries({ cert_file: cert, key_file: key, ca_file: ca });
  const lines = files.map(([name, path]) => `  ${name}: ${JSON.stringify(path)}`);
  return ["tls {", ...lines, `  verify: ${verify}`, "  timeout: 5", "}"].join("\n");
}
