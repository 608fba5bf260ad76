// Key pairs for signers, three of each kind. They were made for these tests and open nothing.
import { createPrivateKey, createPublicKey } from 'node:crypto';

/**
 * -> { private, public: KeyObjects, pem: of the public key, der: SubjectPublicKeyInfo in base64, raw: 32 bytes,
 * of Ed25519 }
 */
function pair(text) {
  const key = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
  const open = createPublicKey(key);
  const der = open.export({ format: 'der', type: 'spki' });
  return { private: key, public: open, pem: open.export({ format: 'pem', type: 'spki' }), der: der.toString('base64'),
    raw: der.subarray(-32) };
}

export const RSA = [
  'MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQDlgA9vnEqn3dD1GZbPiwmK4RmnGZSr2FRYjR/UbvQ7Ty9NOADupSC7n3Yx2M5a'
    + 'gsbpV/vnCZJkDCBLCb09Hhu2Lvq4b15CGkpb6uZA0T+0vm7I+94Yk20PtIvlCc8WQi+QMbc0s9Z6lLLpJYwYnSd+t7HpwI+MBVV40hIDN7YENi0O'
    + '8WSBul2VAv6xy/BS148aGE53wzi5x7d0BI463KCq07rQT7tujLR5Valm/lrAMYJSuM9AQ19RTkYWTgEML2qMPr/jCAi5ZoCtw0Ds+/pfMLCvvZep'
    + 'RbLt2A27jNSnl+ng1h3haWVqQtxAJx/Dz8jH5axgKY4aah4rVSBGeXZBAgMBAAECggEAP+ykIAvyFYDo96RJiASrw0XA3fT3nsgSclnYwFSpba24'
    + 'OLN9Ovu+utQHWYoQrFBZ9Fv/+9IENx7TjeMoFVKCGIRMbLwEjrgA90peGTbPnloexJe3PLQvwByjjMfnKUWFNw5KAAGJn7o0fVFqjN6VRiwHf9sV'
    + 'gMRpks48my3U4qXnReTAuWiKdYHPziiajuIbwmtNn8AIrs20PtYetOcdjbbVVDv0woaEKLoQtaA7ZoO50km/ptwD+hbQYgMUw3HbIYhx5l5XdoqZ'
    + 'lFvTjg3P4QMOGnonwLcgWKQrh/C6D0gKF9YSmUmSy6GUmcRct6yNKETusfPvH6jbNBfNW6qNgwKBgQD+ZBCT2HV3GY7JexvLmmf+rCCv0EdTyKpq'
    + 'CQt3exgIKZ29EqxBHI6DBF4kE5BNOOHr2Gx7oKu/1ypLP487JIBp7F4rgLykkb1FwgyYS7paeUNybxcARm3Ig3ktGlr9Xyk+qemBEn/GI06xkLKz'
    + 'bmH75G30cwbe6AXeoyv+CtovowKBgQDm87CrU8S6+rQPvfik6A0/Ulw6FK+oWMDB+/m0j2bhoMCYnsZgYFJQLhDSJXed5sxRq0hkzugdm2FVwGCl'
    + 'xM+4H0/N7w5wRCglJjAJgH+P8P4XYLLmsXv+sofTL6kHyNy1m6fpAJU9LUVKvwkweNXo0A6om1UATZAxsOLYr06QywKBgQDJBbHD4u0P7HZU6J+S'
    + 'SLWdHc/GnsN+hbeEixkwlWjsKlanrjXIThSfm7f4siz5mNWOVTuEhfayZgjZ5aP9jF6dVVck8VoggbobgbgKMO1VyTVvHDIE2aKvLJV4+rakOaqS'
    + 'BhqrED9AB26MClfsSnHLZzssTClFw/u/bxm4akL4GQKBgQCAf7YcnU8oebUVzS07E6HLSZfm+PuDP16AkCIvRFqJz1dZk33swasK0ZaqVg5n3LJx'
    + '/ksZS8X6MynE/HTJxueMGl/cxNXTwRhVExpHLyfKftvhRfxEPxwuakcIScxSeH/Uy/ZwvdJLZ5TWMdR7E8Bw+NIvHb39nSpNe4274k5kYQKBgQDM'
    + 'Df16pUhkXx6K88W4+fGYhEdnT96F9qxXoYK7+hVr7HeTbE+jFbCE0GOz7O4ymT7yuf9jGiVitiB6x6FZYVM51iN4h0iXXkeaa8vxhP15hzPUxhJ6'
    + 'CaS42mq7m8Vl4dtjQjYj5Mx6xxgw7vD5hfJejuROGrciiBo+VJipbZCm8w==',
  'MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQDTEkPhIDeOeb4r9ukEYaYV7nIdOPWxeyRUxOX7HPXyfbdTnWERQKbuxo54Re/F'
    + 'NHvXA7RC9RtnwkveSNnFOxjy/1BkFm74n6/exqySlqEopqBwBOMMu63BgVGfh5WwaqCiR7v1TcI7z/8jIbt5zokWvHncg5FsrJvy3uBITsiQoqHL'
    + 'HRlGlHMTwvOkD0M3y4LO3tHbQl6VJF65noivdub9BpqqABMPACXgH6Ad43zDwV61PWGENb0zrzv/PYjF2fA1d/92o3Un/dGI4gy76bMQuF9UwslU'
    + 'K60qPBv5jP/Ee3WEa5vkFXHRAYvcJZjKVKl/V8pQssmdi7kfSGXc8gXlAgMBAAECggEALEGorPQR4hRhzRsc+be12ORh1gHC9n9Q+1s7s577bOhy'
    + 'P5yApVruhaNpbQuQ/kMGcmuK6P02zVc+jDGvQ70j+pORGiNgCk6FVEtJFQVzbjAd9M75gop5oNjKMg5+UvrQiqZK4WD4CI2QvB+PDTfCo9tKG/QU'
    + 'UnqQymh0E4U9ZaHqlbJdwN5DMKPXLzFSACxWfnFLjWj0GT4x1OH9Dyk/abmjpu8u+pvZoN0BXEH+XwqP1Ye+q7uhyoPxzEz8XXq0saykaUjt0EAk'
    + '/ehgBy6x7ZrsB9y6arHUIAJSYxrcNb9DtOx7tjsr2FGP3QomDoLIQAGts+XDO05IRlG+ajUFswKBgQDtKZc938H+PFQEzVigNUuWhXvuS/V+ljKR'
    + '1YSEGEwixqwMyDKH5ZkEdDisYca616Ndm7pscObVAEPsWH65R3zRGvJgutBPzMhnMIKu3GP6gMjMTeTYG2+YmB4XR6FBKtRVAVjO4bhDYFHAaQhq'
    + 'PSLX1tFYjvTrJsm0YqlJ/3SdIwKBgQDj1iS0Pzlwt4UkkO+QxXsrV8zflBjqpf3X00EhzvKuLIQqe17dveJ984O55N4VtXC2keBmcANmgek5Mq+1'
    + 'Q34aJnw6paFnHaNmj/mv3uTjgeax2orGK3mfTMKHopyqN6IWqabp6MJ4O4wWZ4RLoSjJvDyaBgLHIQFPuC2Q14xVVwKBgQDJ1vvAzQ5tMSrQa3Nh'
    + '5fnOwQwYYs0sTuf69Z0yTvt9HViQCFH5Fo6EG+Wf0BcyLRP8Nu0SHYRXA0LLgwVW6mBwFl7xtAxV3hMwvzh5WVg9eh1qw2BgC/mOBOiXJ3811x2e'
    + 'uua6K6CGtxLcjod6400kJM9Gb2RCPWCtBMrPD3pPwQKBgQDRdb9awsFxIhdSzbihVRzudRLR/ZqGp0JfGEXJ6jNr81synydRHtBKUQUqcwHF3YAZ'
    + 'KLWwF4zYwdiDkFi/gaQ+MGGHnVxsq2/cy8KWcInnqzZHDo8Er1VqIay5+8KiLvFiemgMpcObu8sHkfWrfic8iEUCqUIGhg5plv61KaVHkwKBgQDb'
    + 's5Ocr/ef1r7+0T6mSoTKTo0D/qFGmuYxy75ZI5FOwO7SbcRedQAy9K/yLgXrqxhFrcyPUHfVgvGXjtJxEGEDZWsmuK2JGZ69EyEw+x8HRziJezSl'
    + 'Mgsvi6G+p3Gx7cGfybMs6F6NHKcoaHvwMyzsTb+j8AS1iL65hlbiPjahDA==',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDRCYOx38iqSC98cqrCE/wQX2rbuvyTdr2X/ACdo0OnwST/QRhvvWdhzqXfvB51'
    + '2srQVz1CXccDyvjBX8F5dUlwugxcjfgNu3UYAx+c5o7QVd88EW9bhgdOd8bj4d/X/zVfxRNrLvzJlJOuPP9SSBkOLIv2Yz+d7pwyOC57/oVbeh2v'
    + 'LHOTT9X4SOyV5HIXf9OmHVWLOQPi4rrO0hNsoWx3Qu/tRzWo1JoyDAkcMJGanKhO26TI+12dbP2Do847qJAuqcE1AJdp22IHYwWk/vQUR6/KtobV'
    + '5VHdyO5iqF358JEApNouR7rG7cPlZrQtUErzPfqEEyRyXtdyOwSYGMJnAgMBAAECggEAZth7huRHYiAp3Ny9zsbuWU/Yz0rsQdFF7qT52JUfEEYi'
    + '4cMxNqjFWIXHbpCrm+iNqHuDlEd3RxJx2RI3qn5eJ6whsNfYl0kHj0zaHOQCl9XoAzHAzBLhPWYI4M2cyDS0Ge5oY2+2x6bmEe/I3r7CNQsNwaeL'
    + 'ATUIfFzP4gmTqzFCDbzrF7rvbIQJ1CW3iKRkGlN/hKgBxPAtYJCsxxs4sMn7gh8bi+5j9U5ZZmOkk2AiiTdRzkbrGFloD9WqfElgXeobU9cZTLGG'
    + 'wELZqYATaZiGR/oFvuI1C0YLztzHDzoRZxnr/T/FLyhREz0yDKldNTh8LSv929goK8bkgYqewQKBgQDpbvly6IJ/5JtW3PIVlU2A/YFgN57Wnk/9'
    + 'Kt18Xob4TzSofaGNgt9llX6A4HZI73FAMaNpHDKQpwRJM61WBTKJCCXZQTWE4HU+h9eD5G+BPH6CcDaeD0/VRhFW++lDXQGTn8VON8GKB/5EdUsN'
    + 'gteGXoVPyg4YaOc3iDe1vi0dCQKBgQDlPsc93AK6Vzs0y8hhSQh1ywGRmw+pXrnpXXfuCqRIzpKck/0zMRbmxoS2uI86ewz/z4Z139hiAgdEnDMb'
    + '0EwSFK3xjzqIjO70tGi3e9KT03efvcWzCMSFSFRrQDAVRxVI46hLmK6A6UG/sAS+T42+t4vYcd1TXczUsjjJNfYv7wKBgQCgyv9qxnv1yqux1rmu'
    + 'YkyjuHtgoo93+E7S7a7pF1fTPQPht8ALcQWevK4J6hOwQ7b35/lO0syF1XXfUohog2X+/CzODNvnrpE0RHAQes7P77KY+OC2WYe9OemByD4yV6NZ'
    + 'Y6mOKlvXT5A26bCMGv+IoB0mC+FPsRrrppnxR5FduQKBgF0lngVnkQAwE5GHP9svtq1OGEwWik2SfM3yuZlSX6Bpty7B/v6+8oRAo4ovAZuMhiKn'
    + 'KwZYNu7Tzio1oZqqj05FcswVG36CbVGmwGnVeSGxqgiRLnRpmphhZFPT1/W9VUuxnR9iYX1lyd5eYf8GCh01LTB8S6blFSZTaDlxoJ+nAoGAYxlV'
    + 'jhl5ixeN3Yg/mIFzMlK6sdRSKDPMWhpadNFJ6XyBLxko5GRf9a8YtIUcmZNe6cvybcJlOBh68Elu0gtyqh77dIjLAun/+Pz8FGxDEEY4XTYXwfXz'
    + 'Qgl6hg246kNG7NzMMi441PkmWonVUEj2Y/08poe4bXd2LbAgEn3+YRY=',
].map(pair);

export const EC = [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7x6+H0QikXquWnEaVy2fOfPZ6oDgbazsuPGgjLcUhWqhRANCAASyVWWcK5+L/tSY'
    + 'poNK13yZtwS7yGauEwB97nxnSARyvQ2CHu01J96X2OeEyDBsB2IGb7Bc6kGNa4ZTDULLII2n',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYakii0k1PEJJiIdXMd5+Lgdrrf8l4hItpUirCkNBRVyhRANCAATBx8/ZQN1qVeRL'
    + 'd2F+eUC42gxYDXCydwnWpqjcpNNJONgANFmVYeKFdSPdi1rZuSNToAUtqAogRRhOQz08Uw76',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgoI+P/LS0OHcY8Uyr6s1xqMgFKwmHAbT1l6urelxDKmChRANCAAQSjAqXpPN8zIN5'
    + '9XCwpZxbWmTSrWWUjN1oU5V9isRj028OhFei0hveYwJfg73WRm39igbxZkVWSGyK9qEATg/q',
].map(pair);

export const ED25519 = [
  'MC4CAQAwBQYDK2VwBCIEICrUAT2NcfXPmXkKC1tClIaVG/s18eY6AYWZzXv8y0iN',
  'MC4CAQAwBQYDK2VwBCIEIOvCdwSDcYlOVEnXLTkqH5EOWvqV7NOuEPb0dUudYpnW',
  'MC4CAQAwBQYDK2VwBCIEIKg1gtIGw1nhBDeby2aOpVOrJbGiNIZMGgT8iti4lpBq',
].map(pair);
